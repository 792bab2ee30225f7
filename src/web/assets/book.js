// Books of openings: the effects of first decisions, by situation.

import { ask } from "./application.js";
import { $, element, showSection } from "./dom.js";
import { interval } from "./numbers.js";
import { canTrain, trainingGame } from "./trainer.js";

let view = null;
/** The contents of the files. */
let texts = [];
/** The situations of the chosen decision. */
let situations = [];

const count = (number) => number.toLocaleString("en");
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(100 * number).toFixed(1)}`;
const percent = (number) => (100 * number).toFixed(1);

/** Opens books by the contents of their files, the reference first. */
export async function openBooks(books) {
  view = await ask({ request: "book", books });
  texts = books;
  $("book-train").hidden = books.length > 1 || !canTrain(books[0]);
  const names = view.books.map((book) => book.bot);
  const title = `Openings: ${view.title}, ${view.players} players, ${[...new Set(names)].join(" and ")}`;
  document.title = `${title} – Watershed`;
  $("books-title").textContent = title;
  const sources = view.books.map(
    ({ bot, seed, games, forks, continuations }) =>
      `${bot} (seed ${seed}): ${count(games)} games, ${count(forks)} decisions forked, ${count(continuations)} games played on.`,
  );
  $("book-advice").textContent = view.advice;
  $("book-about").textContent = `${sources.join(" ")} Data: ${view.provenance}.`;
  showDecisions();
  showSection("books");
  $("books-title").focus({ preventScroll: true });
}

/** Returns the request for a game in which the openings of the book are trained. */
export const trainingOfBook = () => trainingGame(texts[0], view);

const option = (text, value) => element("option", { textContent: text, value });
const minForks = () => Number($("book-forks").value);

/** Returns the actions that the reference has forked often enough. */
const frequent = (situation) => situation.actions.filter(({ effects }) => effects[0].forks >= minForks());

function showDecisions() {
  const before = $("book-decision").value;
  const decisions = [...new Set(view.situations.map(({ decision }) => decision))];
  $("book-decision").replaceChildren(...decisions.map((decision) => option(decision, decision)));
  if (decisions.includes(before)) {
    $("book-decision").value = before;
  }
  showSituations();
}

function showSituations() {
  const before = $("book-situation").value;
  const decision = $("book-decision").value;
  const ofDecision = view.situations.filter((situation) => situation.decision === decision);
  situations = ofDecision.filter((situation) => situation.level === 1 || frequent(situation).length > 0);
  const names = situations.map(({ detail }) => (detail === "" ? "all situations" : detail));
  $("book-situation").replaceChildren(...names.map((name) => option(name, name)));
  if (names.includes(before)) {
    $("book-situation").value = before;
  }
  showActions();
}

function headings() {
  if (view.books.length === 1) {
    return ["Action", "Forks", "Effect, pp", "Win share, %", "Chosen, %", "Verdict"];
  }
  return ["Action", ...view.books.flatMap(({ bot }) => ["Forks", `Effect by ${bot}, pp`, "Verdict"])];
}

/** Returns the texts of the cells of a book. */
function cells(effect) {
  if (!effect) {
    return view.books.length === 1 ? ["", "", "", "", ""] : ["", "", ""];
  }
  const { forks, effect: points, win, chosen, decisions, verdict } = effect;
  const ofEffect = interval(points, (low, high) => `[${signed(low)}, ${signed(high)}]`);
  const effectText = `${signed(points.value)}${ofEffect}`;
  if (view.books.length > 1) {
    return [count(forks), effectText, verdict];
  }
  const ofShare = interval(win, (low, high) => `[${percent(low)}, ${percent(high)}]`);
  return [count(forks), effectText, `${percent(win.value)}${ofShare}`, percent(chosen / decisions), verdict];
}

function showActions() {
  const situation = situations[$("book-situation").selectedIndex];
  const actions = situation ? frequent(situation) : [];
  const heading = (text) => element("th", { textContent: text, scope: "col" });
  const rows = actions.map(({ label, effects }) => {
    const name = element("th", { textContent: label, scope: "row" });
    const texts = effects.flatMap(cells);
    return element("tr", {}, [name, ...texts.map((text) => element("td", { textContent: text }))]);
  });
  const head = element("tr", {}, headings().map(heading));
  $("book-table").hidden = rows.length === 0;
  $("book-table").replaceChildren(element("thead", {}, [head]), element("tbody", {}, rows));
  const none = `No action has ${count(minForks())} forks or more.`;
  $("book-note").textContent = rows.length === 0 ? none : "";
}

$("book-decision").addEventListener("change", showSituations);
$("book-situation").addEventListener("change", showActions);
$("book-forks").addEventListener("input", showSituations);
