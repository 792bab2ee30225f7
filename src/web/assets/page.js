// The page: shows the answers of the application and sends requests. It has no rules of any game.

import { describeChances, describeHint } from "./analysis.js";
import { $, element } from "./dom.js";
import { loadGame, newGame, showOffers } from "./start.js";
import { forget, keep, stored, storedGames } from "./store.js";
import { connect } from "./transport.js";

/** Number of actions from which they can be filtered. */
const MANY_ACTIONS = 12;
let transport;
/** The game on the page: the last view of the present, and all events. */
let game = null;
/** The view of an earlier position, if one is shown. */
let past = null;
let log = [];
/** Grows with each change by a person, so that late answers of bots are dropped. */
let turn = 0;

/** Sends a request and returns the content of the answer, or throws its problem. */
async function ask(request) {
  const answer = await transport.call(request);
  if (answer.error) {
    throw Object.assign(new Error(answer.error.message), { kind: answer.error.kind });
  }
  return Object.values(answer)[0];
}

function showError(error) {
  $("error").textContent = error ? `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.` : "";
  if (error) {
    $("error").scrollIntoView({ block: "nearest" });
  }
}

/** Runs what a button does, and shows its problem. */
async function attempt(work) {
  showError(null);
  try {
    await work();
  } catch (error) {
    if (error.kind === "stale") {
      await refresh();
      return;
    }
    showError(error);
  }
}

// ------------------------------------------------------------------------------ opening games

/** Opens the game of a form. */
function submit(event, request) {
  event.preventDefault();
  return attempt(async () => enter(await ask(await request())));
}

function showRecent() {
  const recent = storedGames();
  $("recent").hidden = recent.length === 0;
  const links = recent.map(({ id, heading }) => element("a", { href: `?game=${id}`, textContent: heading }));
  $("recent-list").replaceChildren(...links.map((link) => element("li", {}, [link])));
}

/** Stores the record of the game. */
async function store() {
  const { id, heading, enters_chance, events } = game;
  const record = await ask({ request: "save", id });
  if (game?.id === id && game.events === events) {
    keep(id, { record, heading, chance: enters_chance ? "entered" : "drawn" });
  }
}

/** Opens the game of the address. */
async function openGame(id) {
  try {
    enter(await ask({ request: "view", id }));
  } catch (error) {
    const kept = stored(id);
    if (error.kind !== "unknown_game" || !kept) {
      throw error;
    }
    forget(id);
    enter(await ask({ request: "load", record: kept.record, chance: kept.chance }));
  }
}

// ------------------------------------------------------------------------------------- a game

/** Shows a game from its first view on. */
function enter(view) {
  history.replaceState(null, "", `?game=${view.id}`);
  $("start").hidden = true;
  $("game").hidden = false;
  game = null;
  past = null;
  log = [];
  $("analysis").replaceChildren();
  $("news").textContent = "";
  receive(view);
  $("choice-title").focus({ preventScroll: true });
  proceed();
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
  return attempt(async () => {
    $("analysis").replaceChildren();
    $("news").textContent = "";
    const log_from = request.request === "act" ? log.length : 0;
    past = null;
    receive(await ask({ ...request, id: game.id, events: game.events, log_from }));
    proceed();
  });
}

const wait = (time) => new Promise((done) => setTimeout(done, time));
const isAutomatic = () => ["bot", "drawn_chance"].includes(game.next);

/** Makes the events of bots and chance, until a person decides. */
async function proceed() {
  turn += 1;
  const own = turn;
  await attempt(async () => {
    while (turn === own && isAutomatic() && !$("pause").checked) {
      const isBot = game.next === "bot";
      const view = await ask({ request: "step", id: game.id, events: game.events, log_from: log.length });
      if (turn !== own) {
        return;
      }
      receive(view);
      if (isBot) {
        $("news").textContent = log.at(-1).text;
        await wait(Number($("pace").value));
      }
    }
    if (turn === own) {
      await store();
    }
  });
}

function choose(index) {
  change({ request: "act", action: index });
}

// ------------------------------------------------------------------------------ showing a game

function show(view) {
  const hadFocus = $("actions").contains(document.activeElement);
  document.title = `${view.heading} – Watershed`;
  $("heading").textContent = view.heading;
  Object.assign($("game").dataset, { next: game.next, events: game.events });
  $("turn").textContent = turnText(view);
  $("board").innerHTML = view.board;
  $("past").hidden = past === null;
  if (past !== null) {
    const event = log[past.at];
    const next = event ? `Then: ${event.text}.` : "";
    $("past-text").textContent = `Position before event ${past.at + 1} of ${game.events}. ${next}`;
    $("earlier").disabled = past.at === 0;
    $("later").disabled = past.at >= game.events;
  }
  showActions();
  showResults();
  showLog();
  $("undo").disabled = !game.can_undo;
  $("redo").disabled = !game.can_redo;
  $("hint").disabled = !view.can_analyse;
  $("chances").disabled = !view.can_analyse;
  $("back").disabled = game.events === 0;
  const players = game.seats.map((seat) => seat.label).join("; ");
  $("about").textContent = `${game.title}: ${players}. Seed ${game.seed}. Data: ${game.provenance}.`;
  if (hadFocus) {
    $("choice-title").focus({ preventScroll: true });
  }
}

function turnText(view) {
  if (past !== null) {
    return `Earlier: ${view.turn}`;
  }
  if (game.next === "bot" && !$("pause").checked) {
    return `${view.turn} The bot thinks …`;
  }
  return game.next === "entered_chance" ? `${view.turn} Choose what happened.` : view.turn;
}

function showActions() {
  const actions = past === null ? game.actions : [];
  $("choice").hidden = game.next === "over" || past !== null;
  $("filter-row").hidden = actions.length <= MANY_ACTIONS;
  $("filter").value = "";
  $("actions").replaceChildren(...actions.map((action, index) => actionItem(action, index)));
  for (const spot of $("board").querySelectorAll("[data-cell]")) {
    const found = actionsOf(spot.dataset.cell);
    spot.classList.toggle("legal", found.length > 0);
  }
}

function actionItem(action, index, done = () => {}) {
  const button = element("button", { type: "button", textContent: action.label, title: action.notation });
  button.addEventListener("click", () => {
    done();
    choose(index);
  });
  return element("li", {}, [button]);
}

/** Returns the indices of the actions that a cell stands for. */
function actionsOf(cell) {
  const actions = past === null ? game.actions : [];
  return [...actions.keys()].filter((index) => actions[index].cells.includes(cell));
}

function clickBoard(event) {
  const spot = event.target.closest?.("[data-cell]");
  const found = spot ? actionsOf(spot.dataset.cell) : [];
  if (found.length === 1) {
    choose(found[0]);
  } else if (found.length > 1) {
    const close = () => $("chooser").close();
    $("chooser-list").replaceChildren(...found.map((index) => actionItem(game.actions[index], index, close)));
    $("chooser").showModal();
  }
}

function filterActions() {
  const wanted = $("filter").value.toLowerCase();
  for (const [index, item] of [...$("actions").children].entries()) {
    const { label, notation } = game.actions[index];
    item.hidden = !`${label} ${notation}`.toLowerCase().includes(wanted);
  }
}

function showResults() {
  const results = past === null ? game.results : null;
  $("results").hidden = !results;
  if (!results) {
    return;
  }
  $("winners").textContent = results.sentence;
  const cell = (text) => element("td", { textContent: text });
  const heading = (text, scope) => element("th", { textContent: text, scope });
  const rows = results.seats.map((seat, index) => {
    const label = game.seats[index].label;
    const name = heading(label.charAt(0).toUpperCase() + label.slice(1), "row");
    const wins = cell(results.winners.includes(index) ? "wins" : "");
    return element("tr", {}, [name, cell(seat.score), ...seat.parts.map(cell), wins]);
  });
  const names = ["Player", "Score", ...results.parts, "Result"];
  const head = element("tr", {}, names.map((name) => heading(name, "col")));
  $("scores").replaceChildren(element("thead", {}, [head]), element("tbody", {}, rows));
}

function showLog() {
  const list = $("log");
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  list.replaceChildren(
    ...log.map((entry, index) => {
      const button = element("button", { type: "button", textContent: entry.text });
      button.addEventListener("click", () => showPast(index));
      if (past?.at === index) {
        button.setAttribute("aria-current", "true");
      }
      return element("li", { className: entry.seat === null ? "chance" : "" }, [button]);
    }),
  );
  if (isAtEnd) {
    list.scrollTop = list.scrollHeight;
  }
}

/** Shows the position before an event. */
function showPast(at) {
  turn += 1;
  return attempt(async () => {
    $("analysis").replaceChildren();
    const view = await ask({ request: "view", id: game.id, at, log_from: log.length });
    past = view;
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

/** Asks for an analysis of the position shown, and shows its lines unless another one is shown. */
function analyse(request, describe) {
  const shown = past ?? game;
  return attempt(async () => {
    $("analysis").textContent = "Analysing …";
    try {
      const answer = await ask({ request, id: game.id, at: past?.at ?? null });
      if (shown === (past ?? game)) {
        $("analysis").replaceChildren(...describe(answer));
      }
    } catch (error) {
      $("analysis").replaceChildren();
      throw error;
    }
  });
}

// --------------------------------------------------------------------------------------- files

async function save() {
  const record = await ask({ request: "save", id: game.id });
  const url = URL.createObjectURL(new Blob([`${record}\n`], { type: "application/jsonl" }));
  const link = element("a", { href: url, download: `${game.game}-${game.seed}-${game.events}.jsonl` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function closeGame() {
  turn += 1;
  const { id } = game;
  forget(id);
  await ask({ request: "close", id });
  location.assign("?");
}

// --------------------------------------------------------------------------------------- start

function listen() {
  $("new-game").addEventListener("submit", (event) => submit(event, newGame));
  $("load-game").addEventListener("submit", (event) => submit(event, loadGame));
  $("board").addEventListener("click", clickBoard);
  $("filter").addEventListener("input", filterActions);
  $("chooser-close").addEventListener("click", () => $("chooser").close());
  $("undo").addEventListener("click", () => change({ request: "undo" }));
  $("redo").addEventListener("click", () => change({ request: "redo" }));
  $("hint").addEventListener("click", () => analyse("hint", describeHint));
  $("chances").addEventListener("click", () => analyse("chances", describeChances));
  $("save").addEventListener("click", () => attempt(save));
  $("close").addEventListener("click", () => attempt(closeGame));
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
  transport = await connect();
  $("results-link").hidden = !transport.hasResults;
  const id = new URLSearchParams(location.search).get("game");
  showOffers(await ask({ request: "games" }));
  showRecent();
  $("start").hidden = false;
  if (id) {
    await openGame(id);
  }
});
document.documentElement.dataset.ready = "true";
