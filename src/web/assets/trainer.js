// The opening trainer: first decisions of games, judged by a book of openings.

import { ask } from "./application.js";
import { $ } from "./dom.js";
import { interval } from "./numbers.js";

/** Decisions that are trained in each game, at most. */
const DECISIONS = 3;
/** Longest book that is sent with each decision. */
const MAX_BOOK = 200_000;

/** The book, its game, number of players and bot; null without training. */
let training = null;
/** The actions of the present decision with their effects in the book; null if it has too few games. */
let opening = null;
/** Decisions of this game, and of all games: those that were right, and the points that were lost. */
let decisions = 0;
let total = { decisions: 0, right: 0, lost: 0 };

const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)}`;
const inWords = ({ label, effects: [{ effect }] }) => `${label} (${points(effect.value)}${interval(effect, (low, high) => `[${points(low)}, ${points(high)}]`)} points)`;

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
  const others = decisions < DECISIONS ? "The book compares too few of the actions that are open. Play on, or go to the next opening." : "The opening is over. Play on, or go to the next one.";
  $("lesson-task").textContent = opening ? `${opening.decision}${detail}: what does the book prefer? It compares ${opening.rows.length} of the actions that are open, in points of win chance against what ${own.bot} chooses on average.` : others;
}

/** Judges an action by the book; its effects are relative to the mean over what the bot chooses. */
export function judgeOpening(action, events) {
  if (opening?.events !== events) {
    return;
  }
  const row = opening.rows[opening.row_of[action]];
  const [best] = opening.rows;
  decisions += 1;
  opening = null;
  if (!row) {
    $("lesson-verdict").textContent = `The book has too few games with this action. It prefers ${inWords(best)}.`;
    return;
  }
  const [{ effect: of }] = row.effects;
  const [{ effect: ofBest }] = best.effects;
  const isRight = row === best || of.high === null || of.high >= ofBest.value;
  total = { decisions: total.decisions + 1, right: total.right + isRight, lost: total.lost + ofBest.value - of.value };
  let verdict = `The book prefers ${inWords(best)} to ${inWords(row)}.`;
  if (row === best) {
    verdict = `The book agrees: ${inWords(row)}.`;
  } else if (isRight) {
    verdict = `The book cannot distinguish ${inWords(row)} from its best, ${inWords(best)}.`;
  }
  const loss = ((100 * total.lost) / total.decisions).toFixed(1);
  const score = `So far ${total.right} of ${total.decisions} decisions agree; by the book, a decision cost ${loss} points on average.`;
  $("lesson-verdict").textContent = `${verdict} ${score}`;
}
