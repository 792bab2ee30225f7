// Puzzles: positions with one best action, and what the other answers cost.

import { ask, attempt } from "./application.js";
import { Choice } from "./choice.js";
import { $, showSection } from "./dom.js";

/** The lines of the file, each a puzzle. */
let lines = [];
let shown = 0;
/** The first answer to each puzzle: true if it is right. */
let answers = new Map();
let choice = null;

/** Opens puzzles, from the one with this index on. */
export async function openPuzzles(puzzles, first) {
  lines = puzzles;
  answers = new Map();
  choice ??= new Choice(
    { board: $("puzzle-board"), list: $("puzzle-actions"), filterRow: $("puzzle-filter-row"), filter: $("puzzle-filter") },
    (index) => attempt(() => solve(index)),
  );
  await show(Math.min(Math.max(first, 0), lines.length - 1));
  showSection("puzzles");
  $("puzzles-title").focus({ preventScroll: true });
}

async function show(index) {
  const puzzle = await ask({ request: "puzzle", puzzle: lines[index] });
  shown = index;
  const title = `${puzzle.title}, ${puzzle.players} players: puzzle ${index + 1} of ${lines.length}`;
  document.title = `${title} – Watershed`;
  $("puzzles").dataset.puzzle = index;
  $("puzzles-title").textContent = title;
  $("puzzle-heading").textContent = puzzle.heading;
  $("puzzle-question").textContent = puzzle.question;
  $("puzzle-board").innerHTML = puzzle.board;
  $("puzzle-about").textContent = puzzle.about;
  $("puzzle-previous").disabled = index === 0;
  $("puzzle-next").disabled = index + 1 === lines.length;
  $("puzzle-verdict").textContent = "";
  $("puzzle-solution-text").textContent = "";
  choice.show(puzzle.actions);
  showScore();
}

/** Shows what an answer costs; without one, the solution. The first answer to a puzzle counts. */
async function solve(action) {
  const index = shown;
  const solution = await ask({ request: "solve", puzzle: lines[index], action });
  if (index !== shown) {
    return;
  }
  if (!answers.has(index)) {
    answers.set(index, solution.is_right);
  }
  const answer = action === null ? "" : `${choice.actions[action].label}: `;
  $("puzzle-verdict").textContent = answer + (solution.verdict ?? "");
  $("puzzle-solution-text").textContent = solution.is_right ? "" : `Solution: ${solution.label}.`;
  for (const [place, item] of [...$("puzzle-actions").children].entries()) {
    item.classList.toggle("solution", place === solution.solution);
    item.classList.toggle("chosen", place === action);
  }
  showScore();
}

function showScore() {
  const solved = [...answers.values()].filter((isRight) => isRight).length;
  $("puzzle-score").textContent = answers.size > 0 ? `${solved} of ${answers.size} solved.` : "";
}

function go(index) {
  return attempt(async () => {
    await show(index);
    $("puzzles-title").focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}

$("puzzle-previous").addEventListener("click", () => go(shown - 1));
$("puzzle-next").addEventListener("click", () => go(shown + 1));
$("puzzle-solution").addEventListener("click", () => attempt(() => solve(null)));
