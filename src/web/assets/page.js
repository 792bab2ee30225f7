// The page: opens games and files, shows games, and sends requests. It has no rules of any game.

import { describeHint } from "./analysis.js";
import { ask, attempt as tryTo, start } from "./application.js";
import { openBooks, trainingOfBook } from "./book.js";
import { Choice } from "./choice.js";
import { $, download, element, showSection } from "./dom.js";
import { beginLesson, endLesson, fulfils, isCoached, isLastLesson, isLesson, nextLesson, recordOf } from "./lesson.js";
import { editBeginning, editPosition, readPosition } from "./position.js";
import { openDaily, openPuzzles } from "./puzzle.js";
import { addResult, inWords, ratingIn, ratingKey } from "./rating.js";
import { drop, dueLines, keep as keepLesson } from "./repeat.js";
import { describeMistake, describeReview, inRound, mistakesOf, playerNames } from "./review.js";
import { fileIndex, firstGame, gameOfFile, kindOf, newGame, openRatings, ratedOpponents, showOffers } from "./start.js";
import { forget, keep, stored, storedGames } from "./store.js";
import { beginTraining, endTraining, isPosed, isTraining, nextTraining, poseOpening, showTrained } from "./trainer.js";

/** The game on the page: the last view of the present, and all events. */
let game = null;
/** The view of an earlier position, if one is shown. */
let past = null;
let log = [];
/** The records of the file from which the game comes, the index of its record, and its number of events there. */
let file = null;
/** The events of decisions for which the game on the page had a hint, which its review searches deeper. */
let hinted = new Set();
/** Grows with each change of the game, which ends its review. */
let ending = 0;
/** Iterations of the quick first review, and of the one that takes its place. */
const REVIEWS = [30, 1000];
/** True if other machines can reach the application, so that others can be invited. */
let canInvite = false;
/** The game whose end was brought into view. */
let shownEnd = null;
/** True if the person has had help in the game on the page: then it is not rated. */
let isAided = false;
/** The version of the data of the game on the page, if a person edited it. */
let version = null;
/** Grows with each change by a person, so that late answers of bots are dropped. */
let turn = 0;
const choice = new Choice(
  { board: $("board"), list: $("actions"), filterRow: $("filter-row"), filter: $("filter") },
  (action) => act(action),
);

/** The address that opens the lessons again; empty if they are of a file of the person. */
const lessonAddress = /[?&](open|repeat)=/.test(location.search) ? location.search : "";

/** Runs what a button does, and shows its problem. */
const attempt = (work) => tryTo(work, refresh);

// ------------------------------------------------------------------------------ opening games

/** Begins a game. Who chooses the seed may know what comes. */
async function begin(request) {
  enter(await ask(request));
  if (request.seed !== null) {
    markAided();
  }
}

function submit(event, work) {
  event.preventDefault();
  return attempt(work);
}

/** Opens saved games, puzzles or books by their texts. Only books can be several. */
async function openTexts(texts, index = 0) {
  const kinds = new Set(texts.map(kindOf));
  const [kind] = kinds;
  if (kinds.size > 1 || (texts.length > 1 && kind !== "book")) {
    throw new Error("choose one file, or several books of openings");
  }
  if (kind === "page") {
    throw new Error("this file is a page; open it by the browser itself, or start `watershed serve --results FOLDER`");
  }
  if (kind === "rating") {
    openRatings(texts[0]);
  } else if (kind === "book") {
    await openBooks(texts);
  } else if (kind === "puzzle") {
    await openPuzzles(linesOf(texts[0]), index);
  } else if (kind === "lesson") {
    await openLesson(linesOf(texts[0]), index);
  } else {
    await openRecord(linesOf(texts[0]), index);
  }
}

/** Begins a game from a position. A bot, if there is one, plays all seats but the one that decides. */
async function openPosition(position, bot = null) {
  enter(await ask({ request: "set_up", position, bot }));
  markAided();
  // The address leads to the position until somebody decides.
  history.replaceState(null, "", `#position=${encodeURIComponent(position)}`);
}

/** Opens a game of a file of records. */
async function openRecord(lines, index) {
  const view = await ask(gameOfFile(lines, index));
  enter(view, { lines, index, events: view.events });
}

/** Opens a lesson of a file. */
async function openLesson(lines, index) {
  const at = Math.min(Math.max(index, 0), lines.length - 1);
  const view = await ask({ request: "load", record: recordOf(lines[at]) });
  enter(view);
  beginLesson(lines, at, view.events);
  if (lessonAddress) {
    history.replaceState(null, "", lessonAddress);
  }
}

/** Begins a game in which openings are trained. */
async function train(request) {
  const view = await ask(request);
  enter(view, null, beginTraining);
  markAided();
}

/** Opens what is to be repeated today. */
async function openDue(kind) {
  const lines = dueLines(kind);
  if (lines.length === 0) {
    throw new Error("nothing is to be repeated today");
  }
  try {
    await (kind === "puzzle" ? openPuzzles(lines, 0) : openLesson(lines, 0));
  } catch (error) {
    // It may be of an earlier version of the data.
    drop(lines[0]);
    throw new Error(`the first position cannot be repeated, and does not come back: ${error.message}`);
  }
}

/** Opens another game of the file. The one before is dropped unless somebody has changed it. */
async function openOther() {
  const { id, events } = game;
  const isUnchanged = events === file.events;
  await openRecord(file.lines, Number($("file-game").value) - 1);
  if (isUnchanged) {
    forget(id);
    await ask({ request: "close", id });
  }
}

const linesOf = (text) => text.split("\n").filter((line) => line.trim() !== "");

/** Returns the text of a file or an answer, which may be packed by gzip. */
async function textOf(source) {
  const bytes = new Uint8Array(await source.arrayBuffer());
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new TextDecoder().decode(isPacked ? await transform(bytes, new DecompressionStream("gzip")) : bytes);
}

async function openFiles(files) {
  if (files.length === 0) {
    throw new Error("choose a file first");
  }
  await openTexts(await Promise.all([...files].map(textOf)), fileIndex());
}

/** Returns the text of a file beside the page: one that comes with it, or a result of the server. */
async function fetchText(path) {
  if (!/^(library|results)\//.test(path)) {
    throw new Error(`${path} is no file of this page`);
  }
  const response = await fetch(path.split("/").map(encodeURIComponent).join("/"));
  if (!response.ok) {
    throw new Error(`${path}: ${response.status}`);
  }
  return textOf(response);
}

/** Number of games that the start page proposes to continue. */
const MAX_CONTINUED = 2;

/** Lists the games that the browser keeps: those that go on first. */
function showRecent() {
  // Earlier versions kept ended games without their players.
  const games = storedGames().filter(({ about, heading }) => about || !heading.includes("end of the game"));
  const continued = games.filter(({ isOver }) => !isOver).slice(0, MAX_CONTINUED);
  const dateOf = (time) => new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long" });
  const show = (list, kept, prefix = "") => {
    const words = ({ about, heading, isOver, time }) => `${prefix}${about ?? heading}${isOver ? `, ${dateOf(time)}` : ""}`;
    const links = kept.map((one) => element("a", { href: `?game=${one.id}`, textContent: words(one) }));
    $(list).replaceChildren(...links.map((link) => element("li", {}, [link])));
  };
  show("continue", continued, "Continue: ");
  show("recent-list", games.filter((kept) => !continued.includes(kept)));
  $("recent").hidden = games.length === continued.length;
}

/** Joins names in a sentence. */
const listOf = (names) => [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

/** Returns the index of the person whom texts address, or -1. */
const ownSeat = () => game.seats.findIndex(({ name }) => name === "you");

/** Describes the game for the list of games: its players, and its round or result. */
function summary() {
  const { title, heading, results, seats } = game;
  if (results) {
    return `${title}: ${results.sentence.charAt(0).toLowerCase()}${results.sentence.slice(1, -1)}`;
  }
  // Bots of the studies have the names that commands give them.
  const nameOf = ({ player, name }) => (player !== "human" && name.startsWith("player") ? player : name);
  const others = seats.filter((_, index) => index !== ownSeat()).map(nameOf);
  const against = game.is_shared ? " with other people" : others.length > 0 ? ` against ${listOf(others)}` : "";
  return [title + against, ...heading.split(", ").slice(2)].join(", ");
}

/** Offers what is to be repeated today. */
function showDue() {
  const kinds = [["puzzle", "puzzles that you missed"], ["lesson", "mistakes in your games"]];
  const due = kinds.map(([kind, words]) => [kind, words, dueLines(kind).length]).filter(([, , count]) => count > 0);
  $("due").hidden = due.length === 0;
  const links = due.map(([kind, words, count]) => element("a", { href: `?repeat=${kind}`, textContent: `${words}: ${count}` }));
  $("due-list").replaceChildren(...links.map((link) => element("li", {}, [link])));
}

/** Stores a copy of the game, in which nothing hidden is read by accident. */
async function store() {
  const { id, heading, enters_chance, events } = game;
  const about = summary();
  const isOver = game.next === "over";
  if (game.is_shared && game.next !== "over") {
    keepShared();
    return;
  }
  if (game.is_set_up) {
    return;
  }
  const record = await ask({ request: "store", id });
  if (game?.id === id && game.events === events) {
    keep(id, { record, heading, about, isOver, version, chance: enters_chance ? "entered" : "drawn" });
  }
}

/** Remembers a game that the server keeps for several people, so that the start page leads back to it. */
const keepShared = () => keep(game.id, { heading: game.heading, about: summary() });

/** Opens the game of the address. */
async function openGame(id) {
  try {
    enter(await ask({ request: "view", id }));
  } catch (error) {
    const kept = stored(id);
    if (error.kind === "unknown_game" && kept && !kept.record) {
      forget(id);
      throw new Error("the server does not keep this game with other people any more");
    }
    if (error.kind !== "unknown_game" || !kept) {
      throw error;
    }
    const wasUnaided = sessionStorage.getItem(unaided(id)) !== null;
    forget(id);
    version = kept.version ?? null;
    const view = await ask({ request: "load", record: kept.record, chance: kept.chance, version });
    if (wasUnaided) {
      sessionStorage.setItem(unaided(view.id), "");
    }
    enter(view);
  }
}

// ------------------------------------------------------------------------------------- a game

/** Shows a game from its first view on, with its file if that has several. */
function enter(view, source = null, prepare = endTraining) {
  endLesson();
  prepare();
  history.replaceState(null, "", `?game=${view.id}`);
  showSection("game");
  game = null;
  past = null;
  log = [];
  $("board").replaceChildren();
  startRating(view);
  // A game that follows another one, as a rematch, has its data.
  version = view.is_edited ? (stored(view.id)?.version ?? version) : null;
  hinted = new Set();
  $("rated").textContent = "";
  dropReview();
  file = source;
  const games = file?.lines.length ?? 0;
  $("file-row").hidden = games < 2;
  $("file-label").textContent = `Game of the file, 1 to ${games}`;
  Object.assign($("file-game"), { max: games, value: (file?.index ?? 0) + 1 });
  $("analysis").replaceChildren();
  $("news").textContent = "";
  $("rules-list").replaceChildren(...view.rules.map((textContent) => element("li", { textContent })));
  $("rules-title").textContent = view.title;
  receive(view);
  $("choice-title").focus({ preventScroll: true });
  window.scrollTo(0, 0);
  proceed();
}

/** Drops the review of an ending that holds no more. */
function dropReview() {
  ending += 1;
  $("review-text").replaceChildren();
  $("review").hidden = Boolean(game?.is_set_up);
}

/** Takes a view of the present. */
function receive(view) {
  const revealed = game !== null && game.viewer !== view.viewer;
  log.length = Math.min(log.length, view.log_from);
  log.push(...view.log);
  game = view;
  show(view);
  if (revealed) {
    // Other things are hidden from the seat that decides now.
    attempt(async () => {
      const whole = await ask({ request: "view", id: view.id, log_from: 0 });
      if (game === view && whole.events === view.events) {
        log = whole.log;
        showLog();
      }
    });
  }
}

async function refresh() {
  if (game) {
    receive(await ask({ request: "view", id: game.id, log_from: 0 }));
    proceed();
  }
}

/** Sends a request that changes the game, and then lets bots and chance go on. */
function change(request) {
  turn += 1;
  const { id, events } = game;
  dropReview();
  if (location.hash) {
    history.replaceState(null, "", `?game=${game.id}`);
  }
  return attempt(async () => {
    $("analysis").replaceChildren();
    $("news").textContent = "";
    const log_from = request.request === "act" ? log.length : 0;
    past = null;
    const view = await ask({ ...request, id, events, log_from });
    // Another game may have been opened meanwhile.
    if (game?.id === id) {
      receive(view);
      proceed();
    }
  });
}

/** Makes a decision, and judges it if that is asked for. */
async function act(index) {
  const { events, pending } = game;
  const { action } = game.actions[index];
  const isCoach = isCoached();
  if (!(await fulfils(game.actions[index], game))) {
    return;
  }
  const isTrained = isTraining() && pending === 0 && isPosed(index, events);
  const isJudged = (isTrained || isCoach || $("learn").checked) && game.can_analyse && pending === 0 && game.actions.length > 1;
  await change({ request: "act", action, pending });
  if (isJudged && game.events > events) {
    markAided();
    await attempt(() => judge(events, action));
  }
}

/** Adds events to what others did since the last decision of the person. */
function tell(entries) {
  const sentence = ({ text, steps }) => [text, ...steps].map((part) => part.replace(/\.?$/, ".")).join(" ");
  $("news").append(...entries.map((entry) => element("span", { textContent: `${sentence(entry)} ` })));
  $("news").scrollTop = $("news").scrollHeight;
}

const wait = (time) => new Promise((done) => setTimeout(done, time));
const isAutomatic = () => ["bot", "drawn_chance"].includes(game.next);
const isOfOther = () => game.next === "other_person";
/** True if the person can offer something. */
const canOffer = () => game.next === "person" && game.actions.some(({ action }) => action.startsWith("offer:"));

/** Makes the events of bots and chance, until a person decides. */
async function proceed() {
  turn += 1;
  const own = turn;
  await attempt(async () => {
    while (turn === own && (isAutomatic() || ($("pass").checked && canOffer())) && !$("pause").checked) {
      const isBot = game.next === "bot";
      const request = isAutomatic() ? { request: "step" } : { request: "act", action: "pass", pending: game.pending };
      const view = await ask({ ...request, id: game.id, events: game.events, log_from: log.length });
      if (turn !== own) {
        return;
      }
      receive(view);
      if (isBot) {
        tell([log.at(-1)]);
        await wait(Number($("pace").value));
      }
    }
    // What came first is read first.
    $("news").scrollTop = 0;
    if (turn === own && isOfOther()) {
      await waitForOther(own);
    }
    if (turn === own && isTraining() && game.next === "person") {
      await poseOpening(game);
    }
    // Lessons would displace the games of the person.
    if (turn === own && !isLesson() && !isTraining()) {
      await store();
    }
  });
}

/** Milliseconds between two questions whether another person has decided. */
const POLL = 1000;

/** Waits until another person has decided, even while the connection is lost, and goes on. */
async function waitForOther(own) {
  const { id, events } = game;
  keepShared();
  while (turn === own) {
    await wait(POLL);
    if (turn !== own) {
      return;
    }
    let view;
    try {
      view = await ask({ request: "view", id, log_from: log.length });
    } catch (error) {
      if (error.kind) {
        throw error;
      }
      $("news").textContent = "The connection is lost. Trying again …";
      continue;
    }
    const isChanged = JSON.stringify(view.seats) !== JSON.stringify(game.seats) || view.allows_hints !== game.allows_hints;
    if (turn === own && view.events === events && isChanged) {
      receive(view);
      return view.next === "other_person" ? waitForOther(own) : proceed();
    }
    if (turn === own && view.events !== events) {
      receive(view);
      tell(log.slice(events).filter(({ seat }) => seat !== null));
      proceed();
    } else if (turn === own && $("news").textContent.startsWith("The connection")) {
      $("news").textContent = "";
    }
  }
}

// ------------------------------------------------------------------------------ showing a game

function show(view) {
  const hadFocus = $("actions").contains(document.activeElement);
  document.title = `${view.heading} – Watershed`;
  $("heading").textContent = view.heading;
  Object.assign($("game").dataset, { next: game.next, events: game.events + game.pending });
  $("turn").textContent = turnText(view);
  drawBoard(view.board);
  $("past").hidden = past === null;
  // Keeps its place.
  $("news").style.visibility = past === null ? "" : "hidden";
  if (past !== null) {
    const event = log[past.at];
    const next = event ? `Then: ${event.text}.` : "";
    $("past-text").textContent = `Position before event ${past.at + 1} of ${game.events}. ${next}`;
    $("past-mistake").textContent = past.mistake ?? "";
    $("branch").hidden = game.next !== "over" || past.decider === null;
    $("earlier").disabled = past.at === 0;
    $("later").disabled = past.at >= game.events;
  }
  showActions();
  showResults();
  showLog();
  $("undo").disabled = !game.can_undo;
  $("redo").disabled = !game.can_redo;
  $("hint").disabled = !view.can_analyse;
  $("hint").textContent = game.allows_hints || game.next === "over" ? "Hint" : "No hints in this game";
  $("back").disabled = game.events === 0;
  for (const name of ["save", "link"]) {
    $(name).disabled = game.is_set_up || (game.is_shared && game.next !== "over");
  }
  // Links and positions hold no data.
  $("link").disabled ||= game.is_edited;
  $("edit").disabled = game.is_edited;
  $("edited").hidden = !game.is_edited;
  $("edited-text").textContent = `Data: ${game.provenance}.`;
  $("workbench").href = `balance.html?game=${game.game}&players=${game.seats.length}&of=${game.id}`;
  const people = game.seats.filter(({ player }) => player === "human").length;
  $("substitute").hidden = game.next === "over" || !game.seats.some((seat) => seat.is_open);
  $("invite").hidden = !canInvite || people < 2 || game.enters_chance || game.next === "over";
  const players = game.seats.map(({ player, name }) => (player === "human" ? name : `${name} (${player})`)).join(", ");
  $("about").textContent = `${game.title}: ${players}. ${game.seed ? `Seed ${game.seed}. ` : ""}Data: ${game.provenance}.`;
  if (hadFocus) {
    $("choice-title").focus({ preventScroll: true });
  }
}

/** Draws the board, and shows for a moment which of its cells have changed. */
function drawBoard(drawing) {
  const labels = () => {
    const spots = [...$("board").querySelectorAll("[data-cell]")];
    return new Map(spots.map((spot) => [spot.dataset.cell, spot.querySelector("[aria-label]").getAttribute("aria-label")]));
  };
  const before = labels();
  $("board").innerHTML = drawing;
  arrangeBoards();
  if (before.size > 0) {
    for (const [cell, label] of labels()) {
      $("board").querySelector(`[data-cell="${cell}"]`).classList.toggle("changed", before.get(cell) !== label);
    }
  }
}

const phone = matchMedia("(max-width: 44rem)");
const wide = matchMedia("(min-width: 75rem)");
/** The seats whose boards the person has opened on a phone. */
const opened = new Set();

/** Marks the own board. On a phone, the boards of the others are folded to a line each. */
function arrangeBoards() {
  const areas = [...$("board").querySelectorAll(".scene-area")];
  // Areas below each other or in one row need no room for later.
  if (phone.matches || (wide.matches && areas.length <= 3 && !$("board").querySelector(".scene-low"))) {
    areas.forEach(trim);
  }
  // The boards of the seats are the last areas of the drawing.
  for (const [seat, board] of areas.slice(-game.seats.length).entries()) {
    board.classList.toggle("own", seat === ownSeat());
    if (phone.matches && ownSeat() >= 0 && seat !== ownSeat()) {
      fold(board, seat);
    }
  }
}

/** Cuts off the room that an area keeps for later. */
function trim(area) {
  const { height } = area.dataset;
  if (height) {
    const [left, top, width] = area.getAttribute("viewBox").split(" ");
    area.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    area.querySelector(".scene-back").setAttribute("height", height - 4);
  }
}

/** Folds a board to its title and its first fact. */
function fold(board, seat) {
  const fact = board.querySelector("tspan.scene-soft")?.parentNode.textContent ?? "";
  const folded = element("details", { open: opened.has(seat) });
  board.replaceWith(folded);
  folded.append(element("summary", { textContent: `${board.getAttribute("aria-label")}: ${fact}` }), board);
  folded.addEventListener("toggle", () => (folded.open ? opened.add(seat) : opened.delete(seat)));
}

function turnText(view) {
  if (past !== null) {
    return `Earlier: ${view.turn}`;
  }
  if (game.next === "bot" && !$("pause").checked) {
    return `${view.turn} The bot thinks …`;
  }
  if (isOfOther()) {
    const isAbsent = game.seats[game.decider]?.is_open;
    return `${view.turn} ${isAbsent ? "Nobody has this seat: invite somebody, or let a bot play." : "Waiting …"}`;
  }
  return game.next === "entered_chance" ? `${view.turn} Choose what happened.` : view.turn;
}

function showActions() {
  $("pass-row").hidden &&= !canOffer();
  // Somebody offers something.
  $("pass").checked &&= !game.actions.some(({ action }) => action === "accept");
  $("choice").hidden = game.next === "over" || past !== null;
  choice.show(past === null ? game.actions : []);
  for (const folded of $("board").querySelectorAll("details:has(.legal)")) {
    folded.open = true;
  }
}

/** Returns the role and the goals of each seat, as its board states them after the end; null if it does not. */
function wantedGoals() {
  const boards = [...$("board").querySelectorAll(".scene-area")].slice(-game.seats.length);
  const roleOf = (board) => {
    const texts = [...board.querySelectorAll("text")].map(({ textContent }) => /^Role (.*) \((.*)\)$/.exec(textContent));
    return texts.find(Boolean)?.slice(1);
  };
  const roles = boards.map(roleOf);
  return roles.every(Boolean) ? roles : null;
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function showResults() {
  const results = past === null ? game.results : null;
  $("results").hidden = !results;
  $("dock").classList.toggle("end", Boolean(results));
  if (game.next !== "over") {
    shownEnd = null;
  }
  if (!results) {
    return;
  }
  const { scores, breakdown, winners, decided, are_scores_progress: areShares } = results;
  const parts = [...new Set(breakdown.flatMap(Object.keys))].sort();
  const nameOf = (seat) => capitalized(game.seats[seat].name);
  const words = (part) => part.replaceAll("_", " ");
  $("winners").textContent = results.sentence;
  const wanted = areShares ? wantedGoals() : null;
  const roleOf = (role) => (role === "none" ? "" : ` (${role})`);
  const goals = (wanted ?? []).map(([role, list], seat) => `${nameOf(seat)}${roleOf(role)} wanted ${listOf(list.split(", "))}.`);
  $("decided").textContent = decided ? `${capitalized(words(decided.part))} made the difference: ${decided.points}.` : goals.join(" ");
  rate(results);
  const cell = (textContent) => element("td", { textContent });
  const heading = (textContent, scope) => element("th", { textContent, scope });
  // A goal that a seat did not want is no failure.
  const isWanted = (part, seat) => !wanted || wanted[seat][1].includes(words(part));
  const value = (part) => (points, seat) => (isWanted(part, seat) ? (points[part] ?? 0) : "–");
  const shown = parts.filter((part) => game.seats.some((_, seat) => isWanted(part, seat)));
  const rows = shown.map((part) => {
    const className = decided?.part === part ? "decided" : "";
    return element("tr", { className }, [heading(capitalized(words(part)), "row"), ...breakdown.map(value(part)).map(cell)]);
  });
  const total = element("tr", {}, [heading(areShares ? "Goals reached, %" : "Score", "row"), ...scores.map(cell)]);
  const head = element("tr", {}, [element("td"), ...scores.map((_, seat) => heading(nameOf(seat), "col"))]);
  $("scores").replaceChildren(element("thead", {}, [head]), element("tbody", {}, [...rows, total]));
  const next = nextOpponent(winners.includes(ownSeat()));
  $("play-next").hidden = !next;
  Object.assign($("play-next"), { textContent: `Play ${next?.[1].name} ${next?.[1].rating}`, value: next?.[0] });
  if (shownEnd !== game.id) {
    shownEnd = game.id;
    $("results").classList.remove("brief");
    $("dock").scrollTop = 0;
    $("winners").focus({ preventScroll: true });
    $("dock").scrollIntoView({ block: "nearest" });
  }
}

/** Returns the opponent to play next: the next stronger one after a victory, a weaker one after two defeats in a row. */
function nextOpponent(isWon) {
  const count = game.seats.length;
  const known = [...ratedOpponents(game.game, count)];
  const strongest = Math.max(...game.seats.map(({ player }) => known.findIndex(([bot]) => bot === player)));
  const last = ratingIn(ratingKey(game.game, count)).results.slice(-2);
  const isTooStrong = last.length === 2 && last.every(({ score }) => score === 0);
  const step = isWon ? 1 : -Number(isTooStrong);
  return ownSeat() >= 0 && strongest >= 0 && step !== 0 ? known[strongest + step] : null;
}

function showLog() {
  const list = $("log");
  const hasGrown = past === null && list.children.length !== log.length;
  const isAtEnd = hasGrown || list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  list.replaceChildren(
    ...log.map((entry, index) => {
      const button = element("button", { type: "button", textContent: entry.text });
      button.addEventListener("click", () => showPast(index));
      if (past?.at === index) {
        button.setAttribute("aria-current", "true");
      }
      const steps = entry.steps.map((textContent) => element("p", { textContent }));
      return element("li", { className: entry.seat === null ? "chance" : "" }, [button, ...steps]);
    }),
  );
  $("save-note").hidden = !log.some(({ hidden }) => hidden);
  if (isAtEnd) {
    list.scrollTop = list.scrollHeight;
  }
}

/** Shows the position before an event, with a sentence on a mistake there. */
function showPast(at, mistake = null) {
  turn += 1;
  if (at >= game.events) {
    showPresent();
    return Promise.resolve();
  }
  return attempt(async () => {
    $("analysis").replaceChildren();
    const view = await ask({ request: "view", id: game.id, at, log_from: log.length });
    past = { ...view, mistake };
    show(view);
  });
}

function showPresent() {
  past = null;
  $("analysis").replaceChildren();
  show(game);
  proceed();
}

// ----------------------------------------------------------------------------------- analysis

/** Asks for a hint in the position shown, and shows it unless another position is shown. */
async function hint() {
  if (game.next !== "over") {
    markAided();
  }
  const shown = past ?? game;
  $("analysis").textContent = "Analysing …";
  try {
    hinted.add(past?.at ?? game.events);
    const answer = await ask({ request: "hint", id: game.id, at: past?.at ?? null });
    if (shown === (past ?? game)) {
      showAnalysis(...describeHint(answer));
    }
  } catch (error) {
    $("analysis").replaceChildren();
    throw error;
  }
}

const unaided = (id) => `watershed-unaided:${id}`;

/** Remembers over a reload that the person has had no help in a game, which begins here or comes from a reload. */
function startRating({ id, log: begun }) {
  // A mode that was chosen is an event of chance.
  if (begun.every(({ seat }) => seat === null)) {
    sessionStorage.setItem(unaided(id), "");
  }
  isAided = sessionStorage.getItem(unaided(id)) === null;
}

function markAided() {
  isAided = true;
  sessionStorage.removeItem(unaided(game.id));
}

/** Rates the person by the game that has ended, if all opponents are rated and the person had no help. */
function rate({ winners, scores: points }) {
  const own = game.seats.findIndex(({ player }) => player === "human");
  const known = ratedOpponents(game.game, game.seats.length);
  const others = game.seats.flatMap(({ player }, seat) => (seat === own ? [] : [known.get(player)]));
  const reasons = [
    [!others.every(Boolean), "only games against opponents with names are"],
    [game.enters_chance, "its chance was entered"],
    [game.is_edited, "its data is edited"],
    [isAided, "you had a hint or took a step back, or it was not begun here"],
  ];
  const reason = reasons.find(([is]) => is)?.[1];
  if (own < 0 || others.length === 0 || reason) {
    $("rated").textContent = own >= 0 && reason ? `This game is not rated: ${reason}.` : "";
    return;
  }
  // A winner is above all who do not win.
  const ranked = points.map((score, seat) => (winners.includes(seat) ? Infinity : score));
  const [ownScore, scores] = [ranked[own], ranked.toSpliced(own, 1)];
  const scoreAgainst = (other) => (ownScore === other ? 0.5 : Number(ownScore > other));
  const results = others.map((opponent, index) => ({ ...opponent, score: scoreAgainst(scores[index]) }));
  const key = ratingKey(game.game, game.seats.length);
  const rated = addResult(key, game.id, results);
  if (!rated) {
    // After a reload, the game has been rated.
    $("rated").textContent ||= `Your rating: ${inWords(ratingIn(key))}.`;
  } else {
    const change = Math.round(rated.after.rating) - Math.round(rated.before.rating);
    const names = others.map(({ name, rating }) => `${name}, ${rating}`).join("; ");
    $("rated").textContent = `Your rating: ${inWords(rated.after)} (${change < 0 ? "−" : "+"}${Math.abs(change)} against ${names}).`;
  }
}

/** Reviews the finished game: quickly, and then again with deeper searches. */
async function reviewGame() {
  const { id, seats } = game;
  const names = playerNames(seats);
  const own = ending;
  $("review").hidden = true;
  // On a phone, the review needs the room.
  $("results").classList.add("brief");
  $("review-text").replaceChildren("Reviewing ", element("span", { className: "progress", textContent: "…" }));
  $("review-text").scrollIntoView({ block: "nearest" });
  const shownAt = (event, mistake) => showPast(event, mistake && describeMistake(mistake, names[mistake.seat]));
  try {
    for (const iterations of REVIEWS) {
      const review = ask({ request: "review", id, iterations, hinted: [...hinted] });
      showProgress(id, review);
      const answer = await review;
      if (ending !== own) {
        return;
      }
      const isLast = iterations === REVIEWS.at(-1);
      const more = isLast ? [] : [element("p", { className: "soft", textContent: "Deeper searches go on " }, [element("span", { className: "progress", textContent: "…" })])];
      const isFirst = $("review-text").textContent.startsWith("Reviewing ");
      $("review-text").replaceChildren(...more, ...describeReview(answer, seats, shownAt));
      if (isFirst) {
        $("review-text").scrollIntoView({ block: "start" });
      }
      if (isLast && !game.is_edited) {
        await attempt(() => keepMistakes(id, mistakesOf(answer).filter(({ seat }) => names[seat] === "you")));
      }
    }
  } catch (error) {
    if (ending === own) {
      dropReview();
    }
    throw error;
  }
}

/** Shows how far a review is until it is there. A static page has one thread, which the review keeps. */
async function showProgress(id, review) {
  let isDone = !canInvite;
  review.catch(() => null).finally(() => (isDone = true));
  while (!isDone) {
    await wait(POLL / 2);
    const { done, total } = await ask({ request: "progress", id }).catch(() => ({}));
    const place = document.querySelector("#review-text .progress");
    if (!isDone && done && place) {
      place.textContent = `${done} of ${total}`;
    }
  }
}

/** Keeps the costliest mistakes of the person as lessons, which come back after some days. */
async function keepMistakes(id, mistakes) {
  const costly = mistakes.filter(({ loss, is_combined }) => loss >= 0.05 && !is_combined).sort((one, other) => other.loss - one.loss);
  for (const { n, round, label, best_label, loss, reason } of costly.slice(0, MAX_KEPT)) {
    const { id: branch } = await ask({ request: "branch", id, at: n });
    const record = await ask({ request: "store", id: branch });
    await ask({ request: "close", id: branch });
    const cost = `${Math.round(100 * loss)} points of your chance to win`;
    const lesson = {
      format: "watershed.lesson/1",
      title: `Your mistake in ${inRound(round)}`,
      task: `${label} cost ${cost}. What is better?`,
      label: best_label,
      done: `${best_label}${reason ? ` ${reason}` : ""}.`,
      record,
    };
    keepLesson(JSON.stringify(lesson));
  }
}

/** Begins the game of an earlier position, to decide otherwise. */
async function branch() {
  enter(await ask({ request: "branch", id: game.id, at: past.at }));
  markAided();
}

/** Begins a game with the same players, or with another bot in place of the bots. */
async function rematch(bot = null) {
  const { game: name, seats, enters_chance } = game;
  const players = seats.map(({ player }) => (bot && player !== "human" ? bot : player));
  const mode = /^Chance: Mode: (\w+)$/.exec(log[0]?.text)?.[1] ?? null;
  const chance = enters_chance ? "entered" : "drawn";
  enter(await ask({ request: "new", game: name, players: players.length, seats: players, mode, chance, version }));
}

/** Number of mistakes of a game that come back. */
const MAX_KEPT = 3;

/** Says what a decision cost by the search that gives hints. */
async function judge(event, action) {
  const asked = ending;
  hinted.add(event);
  const { judgement } = await ask({ request: "hint", id: game.id, at: event, action });
  if (ending !== asked || past !== null || !judgement) {
    return;
  }
  const { text, better } = judgement;
  if (isTraining()) {
    showTrained(judgement);
  } else {
    showAnalysis(element("p", { className: "judgement", textContent: better ? `${text} ${better}` : text }));
  }
}

/** Shows a hint or a judgement where it can be seen. */
function showAnalysis(...lines) {
  $("analysis").replaceChildren(...lines);
  $("analysis").scrollIntoView({ block: "nearest" });
}

// --------------------------------------------------------------------------------------- files

/** Compresses bytes, or unpacks them. */
async function transform(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Copies a link that holds the whole game, in which nothing hidden is read by accident. */
async function copyLink() {
  const record = await ask({ request: "store", id: game.id });
  const bytes = await transform(new TextEncoder().encode(record), new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const link = `${location.origin}${location.pathname}#game=${text}`;
  history.replaceState(null, "", `#game=${text}`);
  const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
  const textContent = `${isCopied ? "Copied: the" : "The"} link is in the address bar${isCopied ? " and on the clipboard" : ""}.`;
  showAnalysis(element("p", { textContent }));
}

/** Returns the game in the address, if it is that of a link. */
const linkedGame = () => /^#game=([\w-]+)$/.exec(location.hash)?.[1];

/** Returns the position in the address, if it has one. */
const linkedPosition = () => /^#position=(.+)$/.exec(location.hash)?.[1];

/** Opens the game or the position of a link. */
async function openLink() {
  if (linkedPosition()) {
    await openPosition(decodeURIComponent(linkedPosition()));
    return;
  }
  const text = linkedGame();
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const record = await transform(bytes, new DecompressionStream("deflate-raw"));
    enter(await ask({ request: "load", record: new TextDecoder().decode(record) }));
  } catch {
    throw new Error("the link holds no game of this version");
  }
}

/** Lets a bot play for those who have left. */
async function substitute() {
  for (const [seat, { is_open }] of game.seats.entries()) {
    if (is_open) {
      receive(await ask({ request: "substitute", id: game.id, seat }));
    }
  }
  proceed();
}

/** Gives each other person a link of their own to the game. */
async function invite(hints = null) {
  const { id } = game;
  const open = await ask({ request: "invite", id, hints });
  await refresh();
  const rows = open.map(({ seat, key }) => {
    const link = element("input", { type: "text", readOnly: true, value: `${location.origin}${location.pathname}?join=${key}` });
    link.addEventListener("focus", () => link.select());
    return element("p", {}, [element("label", {}, [`Link for player ${seat + 1}, for one person `, link])]);
  });
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const note = isLocal ? " Only this machine reaches this address: start `watershed serve --address 0.0.0.0`, and open the page by the address of this machine in your network." : "";
  const text = open.length === 0 ? "Everybody has joined." : `You are player ${ownSeat() + 1}. Nobody sees what is hidden from them, and no decision is taken back.${note}`;
  const allowed = element("input", { type: "checkbox", checked: game.allows_hints });
  allowed.addEventListener("change", () => attempt(() => invite(allowed.checked)));
  const choice = element("p", {}, [element("label", {}, [allowed, " Everybody may ask for hints"])]);
  showAnalysis(...rows, choice, element("p", { textContent: text }));
}

async function save() {
  const record = await ask({ request: "save", id: game.id });
  download(`${record}\n`, `${game.game}-${game.seed}-${game.events}.jsonl`, "application/jsonl");
}

async function closeGame() {
  const { id, is_shared } = game;
  const isLeft = is_shared && game.next !== "over";
  if (isLeft && !confirm("Leave the game? Your seat is free then: the others invite somebody else, or let a bot play.")) {
    return;
  }
  turn += 1;
  ending += 1;
  forget(id);
  // The server may not keep it any more.
  await ask({ request: "close", id }).catch(() => null);
  location.assign("?");
}

// --------------------------------------------------------------------------------------- start

function listen() {
  $("new-game").addEventListener("submit", (event) => submit(event, () => begin(newGame())));
  $("load-game").addEventListener("submit", (event) => submit(event, () => openFiles($("file").files)));
  // A file can be dropped anywhere on the page.
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (event.dataTransfer?.files.length > 0) {
      submit(event, () => openFiles(event.dataTransfer.files));
    }
  });
  $("file-row").addEventListener("submit", (event) => submit(event, openOther));
  $("pass").addEventListener("change", proceed);
  $("undo").addEventListener("click", () => {
    markAided();
    change({ request: "undo" });
  });
  $("redo").addEventListener("click", () => change({ request: "redo" }));
  $("hint").addEventListener("click", () => attempt(hint));
  $("save").addEventListener("click", () => attempt(save));
  $("link").addEventListener("click", () => attempt(copyLink));
  $("substitute").addEventListener("click", () => attempt(substitute));
  $("invite").addEventListener("click", () => attempt(() => invite()));
  // A link that is entered in the address of the open page loads nothing.
  window.addEventListener("hashchange", () => (linkedGame() || linkedPosition()) && attempt(openLink));
  $("edit").addEventListener("click", () => attempt(async () => editPosition(await ask({ request: "position", id: game.id, at: past?.at ?? null }))));
  $("set-up-new").addEventListener("click", () => attempt(() => editBeginning(newGame())));
  $("set-up-form").addEventListener("submit", (event) => submit(event, () => readPosition(openPosition)));
  $("set-up-close").addEventListener("click", () => $("set-up").close());
  $("review").addEventListener("click", () => attempt(reviewGame));
  $("rematch").addEventListener("click", () => attempt(() => rematch()));
  $("play-next").addEventListener("click", () => attempt(() => rematch($("play-next").value)));
  for (const width of [phone, wide]) {
    width.addEventListener("change", () => game && show(past ?? game));
  }
  $("branch").addEventListener("click", () => attempt(branch));
  $("close").addEventListener("click", () => attempt(closeGame));
  $("lesson-next").addEventListener("click", () => {
    $("lesson-next").hidden = true;
    if (isLastLesson()) {
      attempt(async () => {
        enter(await ask(firstGame(game.game)));
        $("learn").checked = true;
      });
    } else if (isTraining()) {
      attempt(async () => {
        const { id } = game;
        await train(nextTraining());
        await ask({ request: "close", id });
      });
    } else {
      attempt(() => openLesson(...nextLesson()));
    }
  });
  $("book-train").addEventListener("click", () => attempt(() => train(trainingOfBook())));
  $("rules-open").addEventListener("click", () => {
    $("rules").showModal();
    $("rules").scrollTop = 0;
  });
  $("rules-close").addEventListener("click", () => $("rules").close());
  $("back").addEventListener("click", () => showPast(Math.max((past?.at ?? game.events) - 1, 0)));
  $("earlier").addEventListener("click", () => showPast(past.at - 1));
  $("later").addEventListener("click", () => (past.at + 1 >= game.events ? showPresent() : showPast(past.at + 1)));
  $("now").addEventListener("click", showPresent);
  $("pause").addEventListener("change", () => {
    $("turn").textContent = turnText(past ?? game);
    if (past === null) {
      proceed();
    }
  });
}

await attempt(async () => {
  listen();
  const { isServer } = await start();
  canInvite = isServer;
  $("results-link").hidden = !isServer;
  const address = new URLSearchParams(location.search);
  showOffers(await ask({ request: "games" }), (request) => attempt(() => begin(request)));
  showRecent();
  showDue();
  $("start").hidden = false;
  if (linkedGame() || linkedPosition()) {
    await openLink();
  } else if (address.has("game")) {
    await openGame(address.get("game"));
  } else if (address.has("join")) {
    enter(await ask({ request: "join", key: address.get("join") }));
  } else if (address.has("open")) {
    await openTexts(await Promise.all(address.getAll("open").map(fetchText)));
  } else if (address.has("repeat")) {
    await openDue(address.get("repeat"));
  } else if (address.has("daily")) {
    const path = address.get("daily");
    await openDaily(linesOf(await fetchText(path)), path);
  }
});
document.documentElement.dataset.ready = "true";
