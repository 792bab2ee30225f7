// The kept versions of the workbench: in the browser, side by side, and in a file.

import { $, download, element } from "./dom.js";
import { read, write } from "./store.js";

const FORMAT = "watershed.versions/1";
const PREFIX = "workbench:";
/** The names of the lists of versions in a file: a game and a number of players. */
const LIST = /^\w+:\d+$/;

/** Returns the kept versions of a list. */
export const keptVersions = (list) => read(PREFIX + list, []);

/** Keeps the versions of a list, and throws an error without room. */
export function keepVersions(list, versions) {
  if (!write(PREFIX + list, versions)) {
    throw new Error("the browser keeps no more: save the versions to a file, and remove some");
  }
}

/** Saves the versions of all games and numbers of players as one file. */
export function saveVersions() {
  const names = Object.keys(localStorage).map((key) => key.slice(PREFIX.length));
  const lists = names.filter((name) => LIST.test(name) && keptVersions(name).length > 0);
  const versions = Object.fromEntries(lists.map((name) => [name, keptVersions(name)]));
  download(`${JSON.stringify({ format: FORMAT, versions }, null, 1)}\n`, "watershed-versions.json", "application/json");
}

/** Returns a version of a file with the values that the page uses, or null. */
function readVersion({ name, edits, data, figures, tiles, games, changes, baseline }) {
  const isText = (value) => typeof value === "string";
  const isTexts = (list) => Array.isArray(list) && list.every(isText);
  const isMap = edits && typeof edits === "object" && isTexts(Object.values(edits));
  if (!isText(name) || !isMap || !(data == null || isText(data))) {
    return null;
  }
  const pairs = Array.isArray(tiles) ? tiles.filter((tile) => isTexts(tile) && tile.length === 2) : [];
  return { name, edits, data: data ?? null, figures: String(figures ?? ""), tiles: pairs, games: Number(games) || 0, changes: isTexts(changes) ? changes : [], baseline: String(baseline ?? "") };
}

/** Adds the versions of a file to the kept ones, and returns how many are new. */
export function openVersions(text) {
  const wrong = new Error(`expected a file of kept versions, JSON with "format": "${FORMAT}"`);
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw wrong;
  }
  const lists = Object.entries(file?.versions ?? {}).filter(([name, versions]) => LIST.test(name) && Array.isArray(versions));
  if (file?.format !== FORMAT || lists.length === 0) {
    throw wrong;
  }
  let added = 0;
  for (const [name, versions] of lists) {
    const kept = keptVersions(name);
    const identity = (one) => JSON.stringify([one.name, one.edits, one.data]);
    const known = new Set(kept.map(identity));
    const fresh = versions.map((one) => readVersion(one ?? {})).filter((one) => one && !known.has(identity(one)));
    keepVersions(name, [...kept, ...fresh]);
    added += fresh.length;
  }
  return added;
}

/** Shows two of the versions in columns: figures, games and edits. The first one is the version on the page. */
export function showBeside(versions) {
  $("beside").hidden = versions.length < 2;
  const sides = ["left", "right"].map((id, index) => {
    const select = $(id);
    const [chosen, number] = [select.value, select.options.length];
    select.replaceChildren(...versions.map(({ name }, value) => element("option", { value, textContent: name })));
    // The last kept version beside the one on the page.
    select.value = number === versions.length ? chosen : String(index === 0 ? versions.length - 1 : 0);
    return versions[select.value];
  });
  const cells = (describe) => sides.map((side) => element("td", {}, [describe(side)]));
  const row = (title, describe) => element("tr", {}, [element("th", { scope: "row", textContent: title }), ...cells(describe)]);
  const titles = [...new Set(sides.flatMap(({ tiles = [] }) => tiles.map(([title]) => title)))];
  const figures = titles.map((title) => row(title.split(":")[0], ({ tiles = [] }) => tiles.find(([other]) => other === title)?.[1] ?? "–"));
  const edits = ({ changes = [] }) => element("ul", {}, changes.map((textContent) => element("li", { textContent })));
  $("beside-table").replaceChildren(
    ...figures,
    row("Games", ({ games }) => (games ?? 0).toLocaleString("en")),
    row("Compared with", ({ baseline }) => baseline || "–"),
    row("Edits", edits),
  );
}
