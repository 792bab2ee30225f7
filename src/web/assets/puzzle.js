// Puzzles: decisions with one best action, alone or in series, and what the other answers cost.

import { ask, attempt } from "./application.js";
import { Choice } from "./choice.js";
import { $, placeBoardOf, showSection } from "./dom.js";
import { daysInARow, ofToday, today } from "./daily.js";
import { addResult, inWords, puzzleKey, ratingIn } from "./rating.js";
import { remember } from "./repeat.js";

/** Deviation of the ratings of puzzles. */
const DEVIATION = 150;
/** The lines of the file, each a puzzle. */
let lines = [];
let shown = 0;
/** The decision of the puzzle that is shown, with its view. */
let step = 0;
let puzzle = null;
/** The first answers to each puzzle: true if all are right. */
let answers = new Map();
let choice = null;
/** The puzzle of the day, if it is shown: the path of its file. */
let daily = null;

/** Opens puzzles, from the one with this index on. */
export async function openPuzzles(puzzles, first) {
  daily = null;
  await open(puzzles, first, new Map());
}

/** Opens the puzzle of the day of a file. Who has answered it has answered it. */
export async function openDaily(puzzles, path) {
  daily = path;
  const { line, answer } = ofToday(puzzles, path);
  await open([line], 0, answer === null ? new Map() : new Map([[0, answer]]));
}

async function open(puzzles, first, known) {
  lines = puzzles;
  answers = known;
  choice ??= new Choice(
    { board: $("puzzle-board"), list: $("puzzle-actions"), filterRow: $("puzzle-filter-row"), filter: $("puzzle-filter") },
    (index) => attempt(() => solve(index)),
  );
  await show(Math.min(Math.max(first, 0), lines.length - 1));
  showSection("puzzles");
  $("puzzles-title").focus({ preventScroll: true });
}

async function show(index, at = 0) {
  const posed = await ask({ request: "puzzle", puzzle: lines[index], step: at });
  [shown, step, puzzle] = [index, at, posed];
  const number = daily === null ? `puzzle ${index + 1} of ${lines.length}` : `puzzle of ${today()}`;
  const title = `${puzzle.title}, ${puzzle.players} players: ${number}`;
  document.title = `${title} – Watershed`;
  $("puzzles").dataset.puzzle = index;
  $("puzzles-title").textContent = title;
  const place = puzzle.steps > 1 ? `. Decision ${step + 1} of ${puzzle.steps}` : "";
  $("puzzle-heading").textContent = `${puzzle.heading}${place}`;
  $("puzzle-step").hidden = true;
  $("puzzle-question").textContent = puzzle.question;
  $("puzzle-board").innerHTML = puzzle.board;
  placeBoardOf($("puzzle-board"), puzzle.seat, puzzle.players);
  $("puzzle-about").textContent = puzzle.about;
  $("puzzle-previous").disabled = index === 0;
  $("puzzle-next").disabled = index + 1 === lines.length;
  $("puzzle-verdict").textContent = "";
  $("puzzle-solution-text").textContent = "";
  choice.show(puzzle.actions);
  showScore();
}

/** Shows what an answer costs; without one, the solution. The first answer to a puzzle counts. */
async function solve(chosen) {
  const [index, at] = [shown, step];
  const { action, label } = chosen === null ? { action: null } : choice.actions[chosen];
  $("puzzle-score").textContent = "Searching …";
  $("puzzle-verdict").textContent = "";
  const solution = await ask({ request: "solve", puzzle: lines[index], step, action }).finally(() => index === shown && showScore());
  if (index !== shown || at !== step) {
    return;
  }
  const isLast = step + 1 === puzzle.steps;
  if (!answers.has(index) && (isLast || !solution.is_right)) {
    note(index, solution.is_right);
  }
  const verdict = solution.verdict ?? "";
  $("puzzle-verdict").textContent = action === null || verdict.includes(label) ? verdict : `${label}: ${verdict}`;
  // A wrong answer leaves the solution to a second try.
  const isShown = solution.is_right || chosen === null;
  $("puzzle-step").hidden = isLast || !isShown;
  const why = solution.why ? `: ${solution.why}` : "";
  $("puzzle-solution-text").textContent = isShown ? `Solution: ${solution.label}${why}.` : "Try again, or show the solution.";
  for (const [place, item] of [...$("puzzle-actions").children].entries()) {
    item.classList.toggle("solution", isShown && choice.actions[place].action === solution.action);
    item.classList.toggle("chosen", place === chosen);
  }
  showScore();
}

/** Notes the first answer to a puzzle. */
function note(index, isRight) {
  answers.set(index, isRight);
  remember(lines[index], isRight);
  if (daily !== null) {
    daysInARow(daily, isRight);
  }
  const { game, players, index: found, event, rating } = JSON.parse(lines[index]);
  addResult(puzzleKey(game), `${players}:${found}:${event}`, [{ name: "puzzle", rating, deviation: DEVIATION, score: Number(isRight) }]);
}

function showScore() {
  const solved = [...answers.values()].filter((isRight) => isRight).length;
  const own = ratingIn(puzzleKey(puzzle.game));
  const ratings = `Puzzle rated ${Math.round(puzzle.rating)}${own.results.length > 0 ? `, you ${inWords(own)}` : ""}.`;
  $("puzzle-score").textContent = answers.size > 0 ? `${solved} of ${answers.size} solved. ${ratings}` : "";
  $("puzzle-daily").hidden = daily === null || answers.size === 0;
  $("puzzle-daily-text").textContent = daily === null ? "" : resultOfToday(solved > 0);
}

/** States the result of the puzzle of the day, in a line to share. */
function resultOfToday(isSolved) {
  const days = daysInARow(daily);
  const row = days > 1 ? `, ${days} days in a row` : "";
  return `${$("puzzles-title").textContent}: ${isSolved ? `solved${row}` : "not solved"}. The next one comes tomorrow.`;
}

function go(index, at) {
  return attempt(async () => {
    await show(index, at);
    $("puzzles-title").focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}

$("puzzle-previous").addEventListener("click", () => go(shown - 1));
$("puzzle-next").addEventListener("click", () => go(shown + 1));
$("puzzle-step").addEventListener("click", () => go(shown, step + 1));
$("puzzle-solution").addEventListener("click", () => attempt(() => solve(null)));
$("puzzle-share").addEventListener("click", () => attempt(() => navigator.clipboard?.writeText(`${$("puzzle-daily-text").textContent} ${location.href}`)));
