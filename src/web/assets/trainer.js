// The opening trainer: first decisions of games, judged by the search that gives hints; a book of openings says what is usual.

import { ask } from "./application.js";
import { $ } from "./dom.js";

/** Decisions that are trained in each game, at most. */
const DECISIONS = 3;
/** Longest book that is sent with each decision. */
const MAX_BOOK = 200_000;

/** The book, its game, number of players and bot; null without training. */
let training = null;
/** The actions of the present decision with their effects in the book; null if it has too few games. */
let opening = null;
/** What the book says of the action that was chosen. */
let context = "";
/** Decisions of this game, and of all games: those that were right, and the points that were lost. */
let decisions = 0;
let total = { decisions: 0, right: 0, lost: 0 };

const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)}`;
const inWords = ({ label, effects: [{ effect }] }) => `${label} (${points(effect.value)})`;

export const canTrain = (book) => book.length <= MAX_BOOK;

/** Returns the request for a new game of the training. */
export function trainingGame(book, { game, players, books }) {
  training = { book, game, players, bot: books[0].bot };
  return nextTraining();
}

/** Returns the request for the next game, with the person at another seat. */
export function nextTraining() {
  const { game, players, bot } = training;
  const seat = Math.floor(Math.random() * players);
  const seats = Array.from({ length: players }, (_, index) => (index === seat ? "human" : bot));
  return { request: "new", game, players, seats };
}

/** Begins the training of the game that is on the page. */
export function beginTraining() {
  [opening, decisions] = [null, 0];
  $("lesson").hidden = false;
  $("lesson-title").textContent = "Opening trainer";
  $("lesson-task").textContent = "";
  $("lesson-verdict").textContent = "";
  $("lesson-next").hidden = true;
  $("lesson-next").textContent = "Next opening";
}

export const isTraining = () => training !== null;

export function endTraining() {
  training = null;
  $("lesson-next").textContent = "Next lesson";
}

/** Asks the book about a decision of the person. */
export async function poseOpening({ id, events }) {
  const own = training;
  opening = null;
  if (decisions < DECISIONS) {
    const answer = await ask({ request: "opening", id, book: own.book });
    if (training !== own) {
      return;
    }
    opening = answer && { ...answer, events };
  }
  $("lesson-next").hidden = opening !== null;
  const detail = opening?.detail ? ` ${opening.detail}` : "";
  const others = decisions < DECISIONS ? "The book has too few games of this decision. Play on, or go to the next opening." : "The opening is over. Play on, or go to the next one.";
  $("lesson-task").textContent = opening ? `${opening.decision}${detail}: what is best here?` : others;
}

/** Returns true if an action answers the decision that is posed, and remembers what the book says of it. */
export function isPosed(action, events) {
  context = "";
  if (opening?.events !== events) {
    return false;
  }
  const row = opening.rows[opening.row_of[action]];
  const [best] = opening.rows;
  context = `In the book, over all such situations, ${inWords(best)} is best${row && row !== best ? `; ${inWords(row)}` : ""}.`;
  decisions += 1;
  opening = null;
  return true;
}

/** Shows the judgement of the search, and what the book says. */
export function showTrained({ loss, is_good, text, better }) {
  total = { decisions: total.decisions + 1, right: total.right + is_good, lost: total.lost + loss };
  const lost = ((100 * total.lost) / total.decisions).toFixed(1);
  const score = `So far ${total.right} of ${total.decisions} decisions are good; a decision cost ${lost} points of the chance to win on average.`;
  $("lesson-verdict").textContent = [text, better, context, score].filter(Boolean).join(" ");
}
