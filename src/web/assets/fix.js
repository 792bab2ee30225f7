// The search for edits with which figures of the game meet targets.

import { ask } from "./application.js";
import { $, element } from "./dom.js";

/** The figures: the name in a file of goals, the title, the factor and the unit of the numbers on the page, the ends and the step of their sliders, and a first range but for that of the first player. */
const FIGURES = [
  ["first_player", "Fair: the first player wins", 100, " of 100", [0, 100, 1]],
  ["games_won", "Fair: games won", 100, " of 100", [0, 100, 1], [40, 60]],
  ["leader_at_half_wins", "Tense: the leader at half time wins", 100, " of 100", [0, 100, 1], [60, 75]],
  ["rounds", "Length", 1, " rounds", [1, 20, 0.1], [4, 6]],
  ["family.taken", "Cards: each of a kind is taken", 100, " % of offers", [0, 100, 1], [20, 90]],
  ["item.taken", "A component is taken", 100, " % of offers", [0, 100, 1], [20, 90]],
  ["item.win_rate", "Owners of a component win", 100, " of 100", [0, 100, 1], [40, 60]],
  ["item.access", "Worth of a component", 100, " wins of 100", [-20, 40, 1], [0, 20]],
];
/** Milliseconds between two looks at the progress. */
const LOOK_TIME = 500;

/** The workbench: its game, version and tables, and the function that applies edits. */
let bench = null;
let stopping = new AbortController();
/** The game and number of players of the targets and keys on the page. */
let shownGame = "";

const figureOf = (row) => FIGURES.find(([name]) => name === row.querySelector("select").value);
/** Returns what a figure is about: a game, a component (`item`) or all of a kind (`family`). */
const subjectOf = (name) => (name.includes(".") ? name.split(".")[0] : "game");
const isWhole = ({ value }) => /^-?\d+$/.test(value);

/** Fills a list of choices, which keeps its value if it still has it. */
function fill(select, groups) {
  const { value } = select;
  const option = ([value, textContent]) => element("option", { value, textContent });
  select.replaceChildren(...groups.map(([label, options]) => element("optgroup", { label }, options.map(option))));
  if (groups.some(([, options]) => options.some(([own]) => own === value))) {
    select.value = value;
  }
}

/** Returns the choices for a figure of components. */
function choices(name) {
  const tables = bench.tables().filter(({ name }) => name);
  return subjectOf(name) === "family"
    ? [["Kinds", tables.map(({ name, title }) => [name, title])]]
    : tables.map(({ title, rows }) => [title, rows.map(({ name, label }) => [name, label])]);
}

/** Returns true if the game has a figure, by the number of players and by its components. */
function isOffered([name]) {
  const isAlone = bench.players() === 1;
  const isOfOthers = ["first_player", "leader_at_half_wins", "item.win_rate"].includes(name);
  return !(isAlone ? isOfOthers : name === "games_won") && (subjectOf(name) === "game" || bench.tables().some(({ name }) => name));
}

/** Returns a slider with its value in words; `onInput` is called with its own value. */
function slider(words, onInput) {
  const input = element("input", { type: "range" });
  const output = element("output");
  const show = (unit) => {
    output.textContent = `${input.value}${unit}`;
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.setAttribute("aria-label", words);
  input.addEventListener("input", () => onInput(Number(input.value)));
  return { input, show, label: element("label", {}, [`${words} `, input, " ", output]) };
}

/** Adds a target with its figure, its component and the sliders of its range. */
function addTarget(name) {
  const figure = element("select");
  figure.setAttribute("aria-label", "Figure");
  figure.append(...FIGURES.filter(isOffered).map(([value, textContent]) => element("option", { value, textContent })));
  figure.value = name;
  const component = element("select", { className: "component" });
  component.setAttribute("aria-label", "Component");
  const ends = [
    slider("at least", (low) => set(low, Math.max(low + scale()[2], Number(ends[1].input.value)))),
    slider("at most", (high) => set(Math.min(high - scale()[2], Number(ends[0].input.value)), high)),
  ];
  const remove = element("button", { type: "button", textContent: "Remove" });
  const row = element("p", { className: "row target" }, [figure, component, ...ends.map(({ label }) => label), remove]);
  const scale = () => figureOf(row)[4];
  /** Sets both ends, at least a step from each other. */
  const set = (low, high) => {
    const [least, most, step] = scale();
    const values = [Math.min(low, most - step), Math.max(high, least + step)];
    ends.forEach(({ input, show }, index) => {
      Object.assign(input, { min: least, max: most, step, value: values[index] });
      show(figureOf(row)[3]);
    });
  };
  const choose = () => {
    const fair = Math.round(100 / bench.players());
    set(...(figureOf(row)[5] ?? [fair - 2, fair + 2]));
    component.hidden = subjectOf(figure.value) === "game";
    fill(component, choices(figure.value));
  };
  figure.addEventListener("change", choose);
  remove.addEventListener("click", () => {
    row.remove();
    showCommand();
  });
  choose();
  $("targets").append(row);
}

/** Returns the targets as a file of goals. */
function goals() {
  const [ofGame, ofItems] = [[], new Map()];
  for (const row of $("targets").children) {
    const [name, , factor] = figureOf(row);
    const ends = [...row.querySelectorAll("input")].map(({ value }) => Number((Number(value) / factor).toFixed(6)));
    const range = `[${ends.join(", ")}]`;
    if (subjectOf(name) === "game") {
      ofGame.push(`${name} = ${range}`);
    } else {
      const [subject, key] = name.split(".");
      const table = `${subject}.${JSON.stringify(row.querySelector(".component").value)}`;
      ofItems.set(table, [...(ofItems.get(table) ?? []), `${key} = ${range}`]);
    }
  }
  const tables = [...ofItems].flatMap(([table, lines]) => [`[${table}]`, ...lines]);
  return [...ofGame, ...tables, ""].join("\n");
}

const keys = () => $("fix-keys").value.split("\n").map((line) => line.trim()).filter(Boolean);

/** Shows the same search on the command line. */
function showCommand() {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const flags = keys().map((key) => ` --keys ${quoted(key)}`).join("");
  const [edits, games] = ["max-edits", "fix-games"].map((id) => $(id).value);
  const command = `watershed balance search --config mine.toml --game ${bench.game()} --players ${bench.players()}${flags} --goal goals.toml --max-edits ${edits} --games ${games} --bots ${bench.bot()} --seed ${bench.seed}`;
  $("fix-command").textContent = `cat > goals.toml <<'END'\n${goals()}END\n${command}`;
}

/** Shows the keys that can be chosen: edited ones, those of all components of a kind, and the others. */
export function showFix() {
  const { edits } = bench.version();
  const tables = bench.tables();
  const around = (key, size) => [`${key}+=-${size}..${size}`, `${key} ± ${size}`];
  const family = ({ title, rows }) => {
    const values = rows.flatMap((row) => row.values.filter(isWhole));
    const patterns = values.map(({ key }) => key.split(".").map((part, index) => (index === 1 ? "*" : part)).join("."));
    const shared = [...new Set(patterns)].filter((pattern) => patterns.filter((other) => other === pattern).length > 2);
    return [title, shared.map((pattern) => around(pattern, 1))];
  };
  const others = tables.filter(({ name }) => !name).flatMap(({ rows }) => rows.flatMap(({ values }) => values.filter(isWhole)));
  const groups = [
    ["Edited", edits.map(([key]) => around(key, 2))],
    ...tables.filter(({ name }) => name).map(family),
    ["Rules and setup", others.map(({ key }) => around(key, 1))],
  ];
  fill($("key-choice"), [["", [["", "Choose …"]]], ...groups.filter(([, options]) => options.length)]);
  $("key-choice").value = "";
  const game = `${bench.game()} ${bench.players()}`;
  if (game === shownGame) {
    [...$("targets").children].forEach((row) => fill(row.querySelector(".component"), choices(figureOf(row)[0])));
  } else {
    ["targets", "proposals", "fix-progress"].forEach((id) => $(id).replaceChildren());
    $("fix-keys").value = "";
    addTarget(FIGURES.find(isOffered)[0]);
    shownGame = game;
  }
  showCommand();
}

/** Shows a set of edits with its figures. */
function proposal({ edits, text, is_met, games, figures }) {
  const button = element("button", { type: "button", className: is_met ? "main" : "", textContent: "Apply" });
  button.setAttribute("aria-label", `Apply: ${text}`);
  button.addEventListener("click", () => bench.apply(Object.fromEntries(edits)));
  const lines = figures.map(({ title, range, before, after, verdict }) => element("li", { textContent: `${title}: ${before} → ${after}; target ${range}: ${verdict}` }));
  const heading = `${is_met ? "Meets all targets" : "Misses a target"} in ${games.toLocaleString("en")} sealed games: `;
  return element("li", {}, [element("p", {}, [heading, element("b", { textContent: text }), " ", button]), element("ul", {}, lines)]);
}

/** Searches until the answer is there or the person cancels. */
async function find() {
  const status = $("fix-progress");
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 1000);
  stopping = new AbortController();
  const { signal } = stopping;
  const isSearching = (now) => {
    $("find-fix").disabled = now;
    $("cancel-fix").hidden = !now;
  };
  isSearching(true);
  $("proposals").replaceChildren();
  status.textContent = "Searching …";
  const [max_edits, games] = ["max-edits", "fix-games"].map((id) => Number($(id).value));
  try {
    const id = await ask({ request: "fix", game: bench.game(), players: bench.players(), version: bench.version(), keys: keys(), goals: goals(), max_edits, games, seed: bench.seed });
    const look = (stop) => ask({ request: "fix_progress", id, stop });
    signal.addEventListener("abort", () => look(true).catch(() => {}));
    let found = null;
    while (!found) {
      const answer = await look(signal.aborted);
      signal.throwIfAborted();
      status.textContent = `Searching: ${answer.done.toLocaleString("en")} of ${answer.total.toLocaleString("en")} games planned so far, ${seconds()} s.`;
      found = answer.found;
      if (!found) {
        await new Promise((done) => setTimeout(done, LOOK_TIME));
      }
    }
    status.textContent = `${found.sentences.join(" ")} (${found.games.toLocaleString("en")} games in ${seconds()} s)`;
    $("proposals").replaceChildren(...found.proposals.map(proposal));
  } catch (error) {
    status.textContent = signal.aborted ? "Cancelled." : `Not searched: ${error.message}.`;
  }
  isSearching(false);
}

/** Connects the search with the workbench. */
export function listenToFix(workbench) {
  bench = workbench;
  $("add-target").addEventListener("click", () => {
    addTarget("rounds");
    showCommand();
  });
  $("key-choice").addEventListener("change", () => {
    $("fix-keys").value = [...keys(), $("key-choice").value].filter(Boolean).join("\n");
    $("key-choice").value = "";
    showCommand();
  });
  $("fix").addEventListener("input", showCommand);
  $("find-fix").addEventListener("click", find);
  $("cancel-fix").addEventListener("click", () => stopping.abort());
  addEventListener("pagehide", () => stopping.abort());
  $("copy-fix").addEventListener("click", () => navigator.clipboard.writeText($("fix-command").textContent));
}
