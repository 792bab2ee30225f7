// The workbench: edits of the data of a game, and what they change in play.

import { ask, attempt, showError, start } from "./application.js";
import { drawPrices, pricesOf } from "./balance-prices.js";
import { keepVersions, keptVersions, openVersions, saveVersions, showBeside } from "./balance-versions.js";
import { $, download, element } from "./dom.js";
import { listenToFix, showFix } from "./fix.js";
import { keep as keepGame, read, stored, write } from "./store.js";

/** The games of the first request, which takes a moment on any machine. */
const FIRST_GAMES = 64;
/** Milliseconds that a request should take: at first, and at most. */
const [REQUEST_TIME, MAX_REQUEST_TIME] = [350, 1500];
/** Half-width of the change of the first player's wins at which a comparison ends, in points of 100. */
const PRECISION = 0.4;
const MAX_GAMES = 20000;
/** The same half-width until which forks get a quarter of the time, and from which those of all components are played, too. */
const FORK_PRECISION = 1;
/** Games with forks of the edited components, and of all. */
const [EDITED_FORKS, ALL_FORKS] = [2000, 400];
const SEED = 1;
/** The opponent of a game on the version, if the game has it. */
const OPPONENT = "Otter";
/** The value of the edit of a component that is removed. */
const REMOVED = "remove";
/** The figures on top: the metric, the title, and the factor and decimals of its numbers. */
const FIGURES = [
  ["win_share", "Fair: the first player wins", 100, 1, " of 100"],
  ["leader_at_half_wins", "Tense: the leader at half time wins", 100, 1, " of 100"],
  ["rounds", "Length", 1, 1, " rounds"],
];
/** The columns of items. */
const COLUMNS = [
  ["worth", "worth", 100],
  ["taken_per_offer", "taken, %", 100],
  ["takers_win_share", "owners win, %", 100],
];

/** The games that can be played, and the values of the version on the page. */
let offers = [];
let values = null;
/** The edits of the version by key, the versions that were undone, and those before it. */
let edits = {};
let [undone, done] = [[], []];
/** The keys of the last edit. */
let lastKeys = "";
/** The data file on which the edits are made; the built-in one if there is none. */
let data = null;
/** The baseline. */
let baseline = {};
/** The last answer, and the number of the comparison in progress. */
let comparison = null;
let current = 0;
let stopping = new AbortController();
/** The worth of items by table and name, and the forks of the edited components and of all. */
let worths = new Map();
let forks = null;
/** The sums of forks of baselines, for the next edits, by all that they follow from. */
const forkedBaselines = new Map();
/** The comparisons by the bots of the panel, by their names, and true while it plays. */
let panel = new Map();
let isChecking = false;
/** The column by which rows are sorted; by the data file if there is none. */
let sorting = null;

const game = () => $("bench-game").value;
const players = () => Number($("players").value);
const version = (of = { edits, data }) => ({ data: of.data ?? null, edits: Object.entries(of.edits ?? {}) });
const versionsList = () => `${game()}:${players()}`;
const kept = () => keptVersions(versionsList());
/** The version in the history. */
const state = () => ({ edits: { ...edits }, data });
const isChanged = (figure) => figure.score > 1;
const shown = (value, decimals = 0) => value.toFixed(decimals).replace("-", "−");

/** Returns a figure in words: before, now, and how sure. */
function inWords({ before, after, difference }, factor, decimals, unit) {
  const [was, now] = [before, after].map(({ value }) => shown(value * factor, decimals));
  const half = ((difference.high - difference.low) / 2) * factor;
  const sure = Number.isFinite(half) && half > 0 ? ` ± ${shown(half, Math.max(decimals, 1))}` : "";
  return was === now && !sure ? `${now}${unit}` : `${was} → ${now}${sure}${unit}`;
}

function showFigures() {
  const figures = comparison?.figures ?? [];
  const tiles = FIGURES.map(([metric, title, factor, decimals, unit]) => {
    const figure = figures.find((one) => one.metric === metric);
    const text = figure && figure.after.value !== null ? inWords(figure, factor, decimals, unit) : "–";
    // With two players, the second one wins what the first one does not.
    const others = players() > 2 ? figures.filter((one) => one.metric === metric && one.position > 0) : [];
    const words = others.map((one) => `${one.position + 1}: ${inWords(one, factor, decimals, "")}`).join("; ");
    const isNews = [figure, ...others].some((one) => one && isChanged(one));
    return element("li", { className: isNews ? "changed-figure" : "" }, [title, element("b", { textContent: text }), words && `Player ${words}`]);
  });
  const changed = (comparison?.items ?? []).filter((item) => figuresOf(item).some(isChanged));
  const names = changed.slice(0, 2).map(({ label }) => label).join("; ");
  const text = comparison ? `${changed.length} of ${comparison.items.length} have changed` : "–";
  tiles.push(element("li", { className: changed.length ? "changed-figure" : "" }, ["Cards", element("b", { textContent: text }), names]));
  $("figures").replaceChildren(...tiles);
  showBeside([{ name: "This version", ...figuresNow() }, ...kept()]);
}

/** Returns the figures on the page, to keep and to show beside others. */
function figuresNow() {
  const tiles = [...$("figures").children].map((tile) => [tile.firstChild.textContent, tile.querySelector("b").textContent]);
  return { tiles, games: comparison?.games ?? 0, changes: values?.changes ?? [], baseline: $("baseline").selectedOptions[0]?.textContent ?? "" };
}

function showProgress(isPlaying) {
  const share = comparison?.figures.find(({ metric }) => metric === "win_share");
  const half = share ? (share.difference.high - share.difference.low) * 50 : null;
  const sure = half ? `, the first player’s change ± ${shown(half, 1)} points` : "";
  const games = (comparison?.games ?? 0).toLocaleString("en");
  const forked = forks?.find((series) => series.games)?.games.toLocaleString("en");
  $("progress").textContent = `${isPlaying ? "Playing: " : ""}${games} games of each version${sure}${forked ? `; worth by ${forked} games` : ""}.`;
  $("stop").textContent = isPlaying ? "Stop" : "Play on";
  const file = `${game()}.toml`;
  $("command").textContent = `watershed balance compare ${file} mine.toml --game ${game()} --players ${players()} --bots ${values?.panel[0].bot ?? "expert"} --games ${comparison?.games ?? 2000} --seed ${SEED}`;
  $("notes").textContent = comparison?.notes.length ? `The bot may not see the edit: ${comparison.notes.join(" ")}` : "";
}

/** Returns the figures of an item by its table and name. */
const itemOf = (table, name) => comparison?.items.find((one) => one.table === table && one.item === name);
const worthOf = (item) => worths.get(`${item.table}/${item.item}`)?.worth;
const figuresOf = (item) => [worthOf(item), ...item.figures].filter(Boolean);
const figureOf = (item, metric) => item && figuresOf(item).find((one) => one.metric === metric);

/** Returns the worth of an item in wins of 100 games: that of the baseline, too, if it may be another one. */
function worthInWords(figure, isEdited) {
  const { before, after, difference } = figure;
  const half = ({ low, high }) => (low === null || high === null ? "" : ` ± ${shown((high - low) * 50)}`);
  const [was, now] = [before, after].map(({ value }) => (value === null ? null : shown(value * 100)));
  if (now === null || was === null) {
    return now ?? was ?? "";
  }
  return isEdited || isChanged(figure) ? `${was} → ${now}${half(difference)}` : `${now}${half(after)}`;
}

/** Fills the cells of the figures of all rows, which stay in their places. */
function showItems() {
  for (const row of document.querySelectorAll("#tables tr[data-name]")) {
    const item = itemOf(row.dataset.table, row.dataset.name);
    row.classList.toggle("changed-row", Boolean(item && figuresOf(item).some(isChanged)));
    for (const [index, [metric, , factor]] of COLUMNS.entries()) {
      const figure = figureOf(item, metric);
      const cell = row.cells[2 + index];
      if (cell && metric === "worth") {
        cell.textContent = figure ? worthInWords(figure, item.is_edited) : "";
        cell.classList.toggle("changed-value", Boolean(figure && isChanged(figure)));
      } else if (cell) {
        const known = figure && figure.after.value !== null;
        const [was, now] = known ? [figure.before, figure.after].map(({ value }) => (value === null ? "–" : shown(value * factor))) : ["", ""];
        cell.textContent = was === now ? now : `${was} → ${now}`;
        cell.classList.toggle("changed-value", Boolean(figure && isChanged(figure)));
      }
    }
  }
  filterRows();
  showPicture();
}

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, children = []) {
  const created = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => created.setAttribute(key, value));
  created.append(...children);
  return created;
}

const label = (x, y, content, anchor = "start") => svg("text", { x, y, "text-anchor": anchor }, [content]);

/** Draws the chosen picture. */
function showPicture() {
  const prices = pricesOf(values?.tables ?? []);
  $("picture-switch").hidden = prices.length === 0;
  const isOfPrices = prices.length > 0 && $("picture-switch").getAttribute("aria-pressed") === "true";
  if (isOfPrices) {
    $("picture-title").textContent = "Points by cost; the line is their mean";
  }
  $("picture").replaceChildren(...(isOfPrices ? drawPrices(prices, svg, label, findRow) : drawItems()));
}

/** Draws all items: their worth, or owners' wins as long as only that of edited ones is known, by the share of offers at which they are taken. */
function drawItems() {
  const values = [...worths.values()].flatMap(({ worth: { before, after } }) => [before.value, after.value]).filter((value) => value !== null);
  const hasWorth = worths.size > (forks?.[0].items.length ?? 0) && values.length > 0;
  const [metric, middle, low, high] = hasWorth
    ? ["worth", 0, Math.min(-0.05, ...values), Math.max(0.2, ...values)]
    : ["takers_win_share", 0.5, 0, 1];
  $("picture-title").textContent = hasWorth ? "Worth by how often taken" : "Owners’ wins by how often taken";
  const x = (taken) => 30 + 280 * taken;
  const y = (value) => 240 - (220 * (value - low)) / (high - low);
  const marks = [
    svg("path", { class: "axis", d: `M30 ${y(middle)}H310M30 20V240H310`, fill: "none" }),
    label(30, 255, "taken at 0 %"),
    label(310, 255, "100 %", "end"),
    label(2, y(middle) + 3, hasWorth ? "0" : "50 %"),
    label(2, 16, hasWorth ? `worth ${shown(high * 100)} wins of 100` : "owners win"),
  ];
  for (const item of comparison?.items ?? []) {
    const [taken, level] = ["taken_per_offer", metric].map((metric) => figureOf(item, metric));
    const at = (side) => [taken?.[side].value, level?.[side].value];
    const was = at("before");
    // Until it is known again, the worth of the baseline.
    const now = at("after").map((value, index) => value ?? (hasWorth ? was[index] : value));
    if (now.some((value) => value == null)) {
      continue;
    }
    const shows = item.is_edited && was.every((value) => value != null);
    const dot = svg("circle", { cx: x(now[0]), cy: y(now[1]), r: item.is_edited ? 4.5 : 3 }, [svg("title", {}, [item.label])]);
    dot.addEventListener("click", () => findRow(item));
    const from = { cx: x(was[0]), cy: y(was[1]), r: 3, class: "was" };
    const arrow = { class: "arrow", x1: x(was[0]), y1: y(was[1]), x2: x(now[0]), y2: y(now[1]) };
    marks.push(svg("g", { class: item.is_edited ? "edited" : "" }, shows ? [svg("circle", from), svg("line", arrow), dot] : [dot]));
  }
  return marks;
}

function findRow({ table, item, label }) {
  document.querySelector("tr.found")?.classList.remove("found");
  const row = [...document.querySelectorAll("#tables tr[data-name]")].find((one) => one.dataset.table === table && one.dataset.name === item);
  $("point").textContent = label;
  row?.closest("details").setAttribute("open", "");
  row?.classList.add("found");
  row?.scrollIntoView({ block: "center" });
}

/** Returns the field of a value. */
function field(value, label) {
  const isSwitch = ["true", "false"].includes(value.value);
  const input = element("input", isSwitch ? { type: "checkbox", checked: value.value === "true" } : { type: "number", step: "any", value: value.value });
  input.title = `${value.help}: ${value.accepted}`;
  input.dataset.key = value.key;
  input.setAttribute("aria-label", `${label}, ${value.name}`);
  input.addEventListener("input", () => edit({ [value.key]: isSwitch ? String(input.checked) : input.value }));
  const named = element("label", { className: "value" }, [value.name, input]);
  if (!isSwitch) {
    named.addEventListener("pointerdown", (down) => drag(down, named, input));
  }
  return named;
}

/** Changes a number by one for each 8 pixels by which its name is dragged with the mouse. */
function drag(down, named, input) {
  if (down.target === input || down.pointerType !== "mouse") {
    return;
  }
  const begun = Number(input.value);
  const move = ({ clientX }) => {
    const dragged = String(begun + Math.round((clientX - down.clientX) / 8));
    if (dragged !== input.value) {
      input.value = dragged;
      input.dispatchEvent(new Event("input"));
    }
  };
  named.setPointerCapture(down.pointerId);
  named.addEventListener("pointermove", move);
  named.addEventListener("lostpointercapture", () => named.removeEventListener("pointermove", move), { once: true });
}

/** Returns the key of the component of which another one is a copy. */
const sourceOf = (key) => {
  const [list] = key.split(".");
  const [, id] = /^copy of (.+)$/.exec(edits[key] ?? "") ?? [];
  return id && `${list}.${id}`;
};

/** Returns the edits without a component: without its values and, if it is a copy, without it. */
const without = (key) => Object.fromEntries(Object.entries(edits).filter(([other]) => other !== key && !other.startsWith(`${key}.`)));

/** Adds a copy of a component with its edits, and moves to its row. */
async function copyComponent({ key }) {
  const source = sourceOf(key) ?? key;
  const taken = new Set([...Object.keys(edits), ...values.tables.flatMap(({ rows }) => rows.map((row) => row.key))]);
  let number = 2;
  while (taken.has(`${source}_${number}`)) {
    number += 1;
  }
  const copy = `${source}_${number}`;
  const own = Object.entries(edits).filter(([other]) => other.startsWith(`${key}.`));
  const copied = own.map(([other, value]) => [copy + other.slice(key.length), value]);
  await change({ edits: { ...edits, [copy]: `copy of ${source.slice(source.indexOf(".") + 1)}`, ...Object.fromEntries(copied) }, data });
  const row = document.querySelector(`#tables tr[data-key="${CSS.escape(copy)}"]`);
  row?.querySelector("input")?.focus();
  row?.scrollIntoView({ block: "center" });
}

/** Returns the buttons of the component of a row, and the name of a copy. */
function componentControls({ key, name, label }) {
  const button = (textContent, work) => {
    const created = element("button", { type: "button", textContent });
    created.setAttribute("aria-label", `${textContent}: ${label}, ${name}`);
    created.addEventListener("click", () => attempt(work));
    return created;
  };
  const isCopy = sourceOf(key) !== undefined;
  const remove = () => change({ edits: isCopy ? without(key) : { ...without(key), [key]: REMOVED }, data });
  const parts = element("span", { className: "parts" }, [button("Copy", () => copyComponent({ key })), " ", button("Remove", remove)]);
  return [...(isCopy ? [element("span", { className: "soft added", textContent: ` copy, ${name}` })] : []), parts];
}

/** Returns an edit in words, with a button that takes it back. */
function changeItem(text) {
  const key = text.split(":")[0];
  const button = element("button", { type: "button", textContent: "Take back" });
  button.setAttribute("aria-label", `Take back: ${text}`);
  button.addEventListener("click", () => change({ edits: without(key), data }));
  return element("li", {}, [text, ...(key in edits ? [" ", button] : [])]);
}

/** Returns the row that edits a value of all components of a table. */
function familyRow(table) {
  const names = [...new Set(table.rows.flatMap((row) => row.values.map(({ name }) => name)))];
  const shared = names.filter((name) => table.rows.filter((row) => row.values.some((value) => value.name === name)).length > 2);
  const change = (name, step) => {
    const members = table.rows.flatMap((row) => row.values.filter((value) => value.name === name && !Number.isNaN(Number(value.value))));
    edit(Object.fromEntries(members.map(({ key, value }) => [key, String(Number(edits[key] ?? value) + step)])), true);
  };
  const button = (name, step) => {
    const created = element("button", { type: "button", textContent: step > 0 ? "+1" : "−1" });
    created.setAttribute("aria-label", `${table.title}: ${name} ${step > 0 ? "plus" : "minus"} 1 for all`);
    created.addEventListener("click", () => change(name, step));
    return created;
  };
  const controls = shared.map((name) => element("span", { className: "value" }, [name, element("span", {}, [button(name, -1), " ", button(name, 1)])]));
  const row = element("tr", { className: "family" }, [
    element("td", { textContent: `All ${table.rows.length}` }),
    element("td", { className: "values" }, controls),
    ...COLUMNS.map(() => element("td")),
  ]);
  return shared.length ? [row] : [];
}

/** Shows all tables of values. */
function showTables() {
  const open = new Set([...document.querySelectorAll("#tables details[open]")].map((one) => one.dataset.table));
  const tables = values.tables.map((table, index) => {
    const rows = table.rows.map((row) => {
      const cells = COLUMNS.map(([, title]) => Object.assign(element("td"), { title }));
      cells.forEach((cell, index) => (cell.dataset.title = COLUMNS[index][1]));
      const created = element("tr", {}, [
        element("td", {}, [row.label, ...(row.key ? componentControls(row) : [])]),
        element("td", { className: "values" }, row.values.map((value) => field(value, row.label))),
        ...(table.name ? cells : []),
      ]);
      Object.assign(created.dataset, { table: table.name, name: row.name, key: row.key ?? "" });
      return created;
    });
    const titles = ["name", "values", ...(table.name ? COLUMNS.map(([, title]) => title) : [])];
    const head = element("tr", {}, titles.map((title, column) => element("th", { scope: "col" }, [column === 1 ? title : sorter(title, column)])));
    const body = element("tbody", {}, [...(table.name ? familyRow(table) : []), ...rows]);
    const details = element("details", { open: open.size ? open.has(table.name) : index === 0 }, [
      element("summary", { textContent: `${table.title} (${table.rows.length})` }),
      element("table", {}, [element("thead", {}, [head]), body]),
    ]);
    details.dataset.table = table.name;
    return details;
  });
  $("tables").replaceChildren(...tables);
  showEdits();
  showItems();
}

function sorter(title, column) {
  const button = element("button", { type: "button", textContent: title });
  button.addEventListener("click", () => {
    sorting = sorting?.column === column ? { column, isDown: !sorting.isDown } : { column, isDown: column > 0 };
    const body = button.closest("table").tBodies[0];
    const content = (row) => row.cells[column].textContent.split("→").at(-1).trim().replace("−", "-");
    const order = (one, other) => {
      const [left, right] = [content(one), content(other)];
      const difference = parseFloat(left) - parseFloat(right);
      const order = column === 0 || Number.isNaN(difference) ? left.localeCompare(right) : difference;
      return sorting.isDown ? -order : order;
    };
    body.append(...[...body.rows].filter((row) => row.dataset.name).sort(order));
  });
  return button;
}

/** Hides the rows that the filter excludes. */
function filterRows() {
  const text = $("filter").value.toLowerCase();
  for (const row of document.querySelectorAll("#tables tr[data-name]")) {
    const isOf = row.textContent.toLowerCase().includes(text);
    const isNews = row.classList.contains("changed-row") || row.querySelector(".edited, .refusal, .added");
    row.hidden = !isOf || ($("only-changed").checked && !isNews);
  }
}

/** Shows which values are edited or refused, without a change of the fields in use. */
function showEdits() {
  const refused = new Map(values.refused.map(({ key, message }) => [key, message]));
  document.querySelectorAll(".refusal").forEach((node) => node.remove());
  for (const input of document.querySelectorAll("#tables input[data-key]")) {
    const { key } = input.dataset;
    const message = refused.get(key);
    input.parentElement.classList.toggle("edited", key in edits);
    input.parentElement.classList.toggle("refused", message !== undefined);
    input.setAttribute("aria-invalid", String(message !== undefined));
    if (message !== undefined) {
      input.parentElement.append(element("span", { className: "refusal", textContent: message }));
      refused.delete(key);
    }
  }
  for (const [key, message] of refused) {
    const row = document.querySelector(`#tables tr[data-key="${CSS.escape(sourceOf(key) ?? key)}"]`);
    if (row && key) {
      row.cells[0].append(element("span", { className: "refusal", textContent: ` ${edits[key] === REMOVED ? "Not removed" : "Not copied"}: ${message}` }));
      refused.delete(key);
    }
  }
  // What is not the fault of one field or row.
  showError(refused.size ? new Error([...refused].map(([key, message]) => (key ? `${key}: ${message}` : message)).join("; ")) : null);
  $("changes").replaceChildren(...values.changes.map(changeItem));
  $("provenance").textContent = values.provenance ? `Data: ${values.provenance}.` : "";
  $("undo").disabled = !done.length;
  $("redo").disabled = !undone.length;
  $("download").disabled = $("play").disabled = values.refused.length > 0;
  showVersions();
  showPicture();
}

/** Makes edits. `isWhole` is false while a person types. */
function edit(changed, isWhole = false) {
  // What is typed in one field is one step.
  const keys = Object.keys(changed).join();
  if (keys !== lastKeys) {
    done.push(state());
  }
  [undone, lastKeys] = [[], keys];
  const known = new Map(values.tables.flatMap(({ rows }) => rows.flatMap((row) => row.values.map((value) => [value.key, value]))));
  for (const [key, value] of Object.entries(changed)) {
    const file = known.get(key);
    if (file?.unedited === value || value === "") {
      delete edits[key];
    } else {
      edits[key] = value;
    }
  }
  attempt(() => update(isWhole));
}

/** Goes to another version. */
function goTo(other) {
  [edits, data, lastKeys] = [{ ...other.edits }, other.data ?? null, ""];
  return attempt(() => update(true));
}

/** Goes to a version as an edit, which can be undone. */
function change(other) {
  done.push(state());
  undone = [];
  return goTo(other);
}

/** Checks the version, shows it, and plays it. `showsFields` is false while a person types in one. */
async function update(showsFields) {
  current += 1;
  const own = current;
  stopping.abort();
  stopping = new AbortController();
  comparison = null;
  write(`workbench:last:${game()}:${players()}`, { edits, data });
  [worths, forks, panel] = [new Map(), null, new Map()];
  showChecking(false);
  showPanel("");
  // The first figures do not wait for the check, which the games repeat.
  const playing = play().catch((error) => error);
  const answer = await ask({ request: "values", game: game(), players: players(), version: version() });
  if (own !== current) {
    return;
  }
  values = answer;
  if (showsFields) {
    showTables();
  } else {
    showEdits();
  }
  showFix();
  document.documentElement.dataset.ready = "";
  // The version is on the page, and the games go on.
  playing.then((problem) => {
    if (own === current && values.refused.length) {
      showFigures();
      $("progress").textContent = "Not played, because a value is refused.";
    } else if (problem && own === current) {
      showError(problem);
    }
  });
}

/** Asks until the signal: then there is no answer. */
async function askUntil(signal, request) {
  try {
    const answer = await ask(request, signal);
    return signal.aborted ? null : answer;
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    throw error;
  }
}

/** Returns the next number of blocks, which takes the time of a request. */
const nextSize = (size, begun, least, time = REQUEST_TIME) => Math.max(least, Math.min(size * 4, Math.round((size / (performance.now() - begun)) * time)));

const comparing = () => ({ game: game(), players: players(), versions: [version(baseline), version()], seed: SEED });

/** Plays forks of a series in the next blocks of both versions, but those of the baseline only if that was not done before. */
async function playForks(series, size, signal, time = REQUEST_TIME) {
  const key = JSON.stringify([game(), players(), version(baseline), series.items]);
  const known = forkedBaselines.get(key) ?? { to: 0, sums: [] };
  const to = series.to + size;
  const blocks = [[known.to, Math.max(known.to, to)], [series.to, to]];
  const begun = performance.now();
  const answer = await askUntil(signal, { request: "worth", ...comparing(), items: series.items, blocks, sums: [known.sums, series.sums] });
  if (!answer) {
    return;
  }
  if (forkedBaselines.size > 20) {
    forkedBaselines.clear();
  }
  forkedBaselines.set(key, { to: blocks[0][1], sums: [answer.sums[0]] });
  Object.assign(series, { to, sums: [answer.sums[1]], games: answer.games[1], size: size ? nextSize(size, begun, 4, time) : series.size });
  for (const { table, item, worth } of answer.items) {
    const place = `${table}/${item}`;
    if (!(worths.get(place)?.games > series.games)) {
      worths.set(place, { worth, games: series.games });
    }
  }
  showFigures();
  showProgress(true);
  showItems();
}

/** Begins the forks of the edited components and of all. What is known of the baseline is shown at once. */
async function beginForks(signal) {
  const edited = comparison.items.filter((item) => item.is_edited).map(({ table, item }) => [table, item]);
  const series = { to: 0, sums: [], games: 0 };
  // A worker of the page without a server ends a request before it begins the next one.
  forks = [{ ...series, items: edited, size: FIRST_GAMES }, { ...series, items: [], size: FIRST_GAMES / 4 }];
  const key = JSON.stringify([game(), players(), version(baseline), []]);
  if (forkedBaselines.has(key)) {
    await playForks(forks[1], 0, signal);
  }
}

/** Plays blocks of both versions until the differences are known well, or another edit is made. */
async function play() {
  const share = () => comparison?.figures.find(({ metric }) => metric === "win_share")?.difference;
  const isEqual = JSON.stringify(version(baseline)) === JSON.stringify(version());
  const first = comparison?.blocks ?? 0;
  let [from, size] = [first, FIRST_GAMES];
  const target = comparison ? comparison.games + MAX_GAMES / 4 : isEqual ? MAX_GAMES / 10 : MAX_GAMES;
  const isPrecise = () => !isEqual && comparison && first === 0 && (share().high - share().low) * 50 < PRECISION && from > 1000;
  const { signal } = stopping;
  const started = performance.now();
  // A longer request costs less of its time, but what is on the page for long does not move any more.
  const time = () => Math.max(REQUEST_TIME, Math.min((performance.now() - started) / 4, MAX_REQUEST_TIME));
  let forksTime = 0;
  const fork = async (series) => {
    const begun = performance.now();
    await playForks(series, series.size, signal, time());
    forksTime += performance.now() - begun;
  };
  while (!signal.aborted && (comparison?.games ?? 0) < target && !isPrecise()) {
    const begun = performance.now();
    const sums = comparison ? [comparison.sums] : [];
    const answer = await askUntil(signal, { request: "compare", ...comparing(), blocks: [from, from + size], sums });
    if (!answer) {
      return;
    }
    from += size;
    comparison = { ...answer, blocks: from };
    showFigures();
    showProgress(true);
    showItems();
    size = nextSize(size, begun, 16, time());
    if (!forks) {
      await beginForks(signal);
      // The next edit has its own forks.
      if (signal.aborted) {
        return;
      }
    }
    const { low, high } = share() ?? {};
    const isSure = (high - low) * 50 < FORK_PRECISION;
    const [edited, all] = forks;
    const next = edited.items.length && edited.games < EDITED_FORKS ? edited : isSure && comparison.games > 500 && all.games < ALL_FORKS ? all : null;
    if (next && forksTime <= (performance.now() - started) / (isSure ? 2 : 4)) {
      await fork(next);
    }
  }
  const all = forks?.[1];
  const enough = all && (first ? all.games + ALL_FORKS : ALL_FORKS);
  while (!signal.aborted && all?.games < enough) {
    await fork(all);
  }
  if (!signal.aborted) {
    showProgress(false);
  }
}

/** Says what the button of the panel does. */
function showChecking(isNow) {
  isChecking = isNow;
  $("check").textContent = isNow ? "Cancel the check" : "Check with search";
}

/** Plays both versions by all bots of the panel, as `balance compare` does, which tells if the answer of the default bot holds. */
async function checkBySearch() {
  stopping.abort();
  stopping = new AbortController();
  const { signal } = stopping;
  const own = new Map();
  panel = own;
  showProgress(false);
  showChecking(true);
  try {
    const members = values.panel.map((member) => ({ ...member, from: 0, size: 4 }));
    const share = ({ from, games }) => from / games;
    // All bots go on at the same pace, so that their figures can be compared long before the end.
    const next = () => members.reduce((one, other) => (share(other) < share(one) ? other : one));
    while (share(next()) < 1 && !signal.aborted) {
      await playMember(next(), own, signal);
      if (!signal.aborted) {
        showPanel(`The panel plays: ${Math.floor(100 * share(next()))} % of its games.`);
      }
    }
  } finally {
    // Another edit has begun anew.
    if (panel === own) {
      showChecking(false);
      showPanel(`${signal.aborted ? "Cancelled. " : ""}${agreement()}`);
    }
  }
}

/** Plays the next games of a bot of the panel. */
async function playMember(member, answers, signal) {
  const { bot, games, from } = member;
  const begun = performance.now();
  const sums = answers.has(bot) ? [answers.get(bot).sums] : [];
  // A bot in all seats plays one game in each block.
  const to = Math.min(from + member.size, games);
  const answer = await askUntil(signal, { request: "compare", ...comparing(), bot, blocks: [from, to], sums });
  if (answer) {
    answers.set(bot, answer);
    Object.assign(member, { from: to, size: nextSize(member.size, begun, 2) });
  }
}

/** Shows the figures of each bot of the panel, below a sentence. */
function showPanel(sentence) {
  $("checked").textContent = sentence;
  const titles = ["Bot", "Games", ...FIGURES.map(([, title]) => title.split(":")[0]), "Cards"];
  const row = ([bot, { games, figures, items, notes }]) => {
    const words = FIGURES.map(([metric, , factor, decimals, unit]) => {
      const figure = figures.find((one) => one.metric === metric);
      return figure && figure.after.value !== null ? inWords(figure, factor, decimals, unit) : "–";
    });
    const changed = `${items.filter(({ figures }) => figures.some(isChanged)).length} have changed`;
    const texts = [notes.length ? `${bot}, may not see the edit` : bot, games.toLocaleString("en"), ...words, changed];
    return element("tr", {}, texts.map((textContent, index) => {
      const cell = element("td", { textContent });
      cell.dataset.title = titles[index];
      return cell;
    }));
  };
  const head = element("tr", {}, titles.map((textContent) => element("th", { scope: "col", textContent })));
  const table = element("table", {}, [element("thead", {}, [head]), element("tbody", {}, [...panel].map(row))]);
  $("panel").replaceChildren(...(panel.size ? [table] : []));
}

/** States how far the bots agree on the differences of the game and of two edited components, as `balance compare` does, but by intervals without correction. */
function agreement() {
  const answers = [...panel.values()];
  if (answers.length < 2) {
    return "One bot only; not checked with a stronger one.";
  }
  const ofGame = ([metric, title]) => [title.split(":")[0], answers.map(({ figures }) => figures.find((one) => one.metric === metric))];
  const ofItem = ({ table, item, label }) => {
    const own = answers.map(({ items }) => items.find((one) => one.table === table && one.item === item));
    return [`${label}: owners’ wins`, own.map((one) => one?.figures.find(({ metric }) => metric === "takers_win_share"))];
  };
  const edited = answers[0].items.filter((item) => item.is_edited).slice(0, 2);
  const questions = [...FIGURES.map(ofGame), ...edited.map(ofItem)].filter(([, figures]) => figures.every((one) => one && one.difference.value !== null));
  const signs = questions.map(([title, figures]) => [title, figures.map(({ difference: { low, high } }) => (low > 0) - (high < 0))]);
  const agreed = signs.filter(([, [first, ...others]]) => first !== 0 && others.every((sign) => sign === first)).length;
  const differing = signs.filter(([, own]) => own.includes(1) && own.includes(-1)).map(([title]) => title);
  const of = `${agreed} of ${signs.length} differences (95 % intervals)`;
  if (differing.length) {
    return `The bots differ on the direction of ${differing.slice(0, 2).join(" and ")}; all ${answers.length} agree on ${of}.`;
  }
  return agreed === signs.length ? `All bots agree: ${answers.length} on ${of}.` : `Open: all ${answers.length} bots agree on ${of}.`;
}

/** Shows the kept versions, here and among the baselines. */
function showVersions() {
  const options = [["", "the built-in game"], ...kept().map(({ name }, index) => [String(index), name])];
  const chosen = $("baseline").value;
  $("baseline").replaceChildren(...options.map(([value, textContent]) => element("option", { value, textContent })));
  $("baseline").value = options.some(([value]) => value === chosen) ? chosen : "";
  const rows = kept().map((one, index) => {
    const button = (textContent, work) => {
      const created = element("button", { type: "button", textContent });
      created.setAttribute("aria-label", `${textContent}: ${one.name}`);
      created.addEventListener("click", work);
      return created;
    };
    const restore = () => change(one);
    const remove = () => {
      keepVersions(versionsList(), kept().filter((_, other) => other !== index));
      $("baseline").value = "";
      baseline = {};
      attempt(() => update(false));
    };
    return element("li", {}, [element("b", { textContent: one.name }), ` ${one.figures} `, button("Back to it", restore), " ", button("Remove", remove)]);
  });
  $("versions-save").disabled = rows.length === 0;
  $("versions").replaceChildren(...(rows.length ? rows : [element("li", { className: "soft", textContent: "None is kept yet." })]));
}

function keep() {
  const name = prompt("Name of this version", values.changes.slice(0, 2).join(", ") || "Built-in");
  if (name) {
    const figures = figuresNow();
    const words = figures.tiles.map(([, figure]) => figure).join(" · ");
    const version = { name, ...state(), ...figures, figures: `${words} (${figures.games.toLocaleString("en")} games)` };
    keepVersions(versionsList(), [...kept(), version]);
    showVersions();
    showFigures();
  }
}

/** Opens the game and number of players that are chosen, with the last version or another one. */
function openGame(other = null) {
  const last = read(`workbench:last:${game()}:${players()}`, {});
  [done, undone, baseline, comparison] = [other ? [last] : [], [], {}, null];
  $("play").textContent = `Play this version${players() > 1 ? ` against ${opponent().title}` : ""}`;
  $("baseline").value = "";
  $("example").hidden = game() !== "the_river";
  showFigures();
  return goTo(other ?? last);
}

/** Returns the number of players that is chosen, with its bots. */
const offered = () => offers.find(({ id }) => id === game()).players.find((entry) => entry.players === players());

/** Returns the opponent of a game on the version. */
function opponent() {
  const { bots, proposed_bot } = offered();
  return bots.find(({ title }) => title === OPPONENT) ?? bots[proposed_bot];
}

/** Begins a game on the version, and opens it in the page of games. */
async function playVersion() {
  const seats = ["human", ...Array(players() - 1).fill(opponent().name)];
  const view = await ask({ request: "new", game: game(), players: players(), seats, mode: offered().modes[0] ?? null, version: version() });
  const record = await ask({ request: "store", id: view.id });
  keepGame(view.id, { record, heading: view.heading, about: `${view.title}, edited data`, isOver: false, chance: "drawn", version: version() });
  location.assign(`./?game=${view.id}`);
}

/** Opens the version of the game from which the person comes, or else the first game. */
async function openAsked() {
  const asked = new URLSearchParams(location.search);
  const known = [...$("bench-game").options].some(({ value }) => value === asked.get("game"));
  $("bench-game").value = known ? asked.get("game") : $("bench-game").value;
  showPlayers();
  if (known && [...$("players").options].some(({ value }) => value === asked.get("players"))) {
    $("players").value = asked.get("players");
  }
  const played = known ? stored(asked.get("of"))?.version : null;
  history.replaceState(null, "", location.pathname);
  await openGame(played ? { edits: Object.fromEntries(played.edits), data: played.data } : null);
}

function showPlayers() {
  const offer = offers.find(({ id }) => id === game());
  const counts = offer.players.map((entry) => entry.players).filter((count) => count > 0);
  $("players").replaceChildren(...counts.map((count) => element("option", { value: count, textContent: count })));
  $("players").value = counts.includes(2) ? "2" : String(counts[0]);
}

/** Lets the buildings with 9 points cost one less. */
function example() {
  const changed = {};
  for (const row of values.tables.flatMap(({ rows }) => rows)) {
    if (row.values.some(({ name, value }) => name === "points" && value === "9")) {
      const [cost] = row.values.filter(({ name }) => name.startsWith("cost.")).sort((one, other) => other.value - one.value);
      changed[cost.key] = String(Number(cost.value) - 1);
    }
  }
  edit(changed, true);
}

/** Steps back or forward in the history. */
function step(from, to) {
  const other = from.pop();
  if (other) {
    to.push(state());
    goTo(other);
  }
}

/** Opens a data file or a table of components, which can be undone, or a file of versions. */
async function openFile() {
  const [file] = $("file").files;
  const text = await file.text();
  // The same file can be chosen again.
  $("file").value = "";
  if (/\.[ct]sv$/i.test(file.name)) {
    const bytes = [...new Uint8Array(await file.arrayBuffer())];
    const table = await ask({ request: "table", game: game(), players: players(), version: version(), name: file.name, bytes });
    $("point").textContent = table.notes.map((note) => `Note: ${note}.`).join(" ");
    await change({ edits: {}, data: table.data });
  } else if (/^\s*\{/.test(text)) {
    const added = openVersions(text);
    showVersions();
    showFigures();
    $("point").textContent = `${added} ${added === 1 ? "version" : "versions"} added.`;
  } else {
    await change({ edits: {}, data: text });
  }
}

$("bench-game").addEventListener("change", () => (showPlayers(), openGame()));
$("players").addEventListener("change", () => openGame());
$("baseline").addEventListener("change", () => {
  baseline = kept()[$("baseline").value] ?? {};
  attempt(() => update(false));
});
$("undo").addEventListener("click", () => step(done, undone));
$("redo").addEventListener("click", () => step(undone, done));
$("keep").addEventListener("click", () => attempt(keep));
$("play").addEventListener("click", () => attempt(playVersion));
$("versions-save").addEventListener("click", saveVersions);
$("left").addEventListener("change", showFigures);
$("right").addEventListener("change", showFigures);
$("picture-switch").addEventListener("click", () => {
  $("picture-switch").setAttribute("aria-pressed", String($("picture-switch").getAttribute("aria-pressed") !== "true"));
  showPicture();
});
$("example").addEventListener("click", example);
$("filter").addEventListener("input", filterRows);
$("only-changed").addEventListener("change", filterRows);
$("stop").addEventListener("click", () => {
  const isPlaying = $("stop").textContent === "Stop";
  stopping.abort();
  showProgress(false);
  if (!isPlaying) {
    stopping = new AbortController();
    attempt(play);
  }
});
$("check").addEventListener("click", () => (isChecking ? stopping.abort() : attempt(checkBySearch)));
listenToFix({ game, players, version, seed: SEED, tables: () => values.tables, bot: () => values.panel[0].bot, apply: (changed) => ((lastKeys = ""), edit(changed, true)) });
$("download").addEventListener("click", () => download(values.text, "mine.toml", "application/toml"));
$("copy").addEventListener("click", () => navigator.clipboard.writeText($("command").textContent));
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => attempt(openFile));
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    if (event.shiftKey) {
      step(undone, done);
    } else {
      step(done, undone);
    }
  }
});

if (location.hash.startsWith("#key=")) {
  write("host-key", location.hash.slice(5));
  history.replaceState(null, "", location.pathname);
}
const { isServer } = await start();
$("find-fix").hidden = !isServer;
$("fix-elsewhere").hidden = isServer;
await attempt(async () => {
  offers = await ask({ request: "games" });
  $("bench-game").replaceChildren(...offers.map(({ id, title }) => element("option", { value: id, textContent: title })));
  await openAsked();
});
