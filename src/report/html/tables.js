"use strict";
// Tables: sorting, a text filter, families, columns, links to items, and CSV.
const MAIN_COLUMNS = 5;
const MIN_FILTERED_ROWS = 9;
const MAX_FAMILIES = 24;

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const save = (name, blob) => {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

const fileName = (text, end) => `${text.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)}.${end}`;

const csvLine = (cells) => cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");

const saveCsv = (name, lines) => save(fileName(name, "csv"), new Blob([lines.map(csvLine).join("\n") + "\n"], { type: "text/csv" }));

// The name of an item beside its label; empty for other rows.
const itemOf = (element) => element.querySelector(".id")?.textContent ?? "";

const withoutId = (cell) => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".id, .interval, button").forEach((part) => part.remove());
  return copy.textContent.trim();
};

// The families of a row: words of its text cells, such as `meadow` or `terrain=meadow`.
const families = (row) =>
  [...row.cells]
    .slice(1)
    .filter((cell) => !cell.classList.contains("number") && cell.dataset.number === undefined)
    .flatMap((cell) => cell.textContent.split(cell.textContent.includes("=") ? /[ +]/ : "+"))
    .map((word) => word.trim())
    .filter((word) => word !== "" && !Number.isFinite(Number(word.replace(/^.*=/, ""))));

const enhance = (details) => {
  const table = details.querySelector("table");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const section = details.closest("section");
  const caption = details.querySelector("summary").textContent;
  const isItemTable = itemOf(body) !== "";

  // Charts of the same section show the items of the table, in its order.
  const updateCharts = () => {
    if (!isItemTable || section === null) return;
    const order = [...body.rows].filter((row) => !row.hidden).map(itemOf);
    for (const chart of section.querySelectorAll("ul.chart")) {
      const rows = [...chart.children].filter((row) => itemOf(row) !== "");
      rows.forEach((row) => (row.hidden = !order.includes(itemOf(row))));
      rows.sort((one, other) => order.indexOf(itemOf(one)) - order.indexOf(itemOf(other)));
      chart.prepend(...rows);
    }
  };

  heads.forEach((head, column) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.number === undefined ? cell.textContent : Number(cell.dataset.number);
    };
    const numeric = head.classList.contains("number");
    button.addEventListener("click", () => {
      const sorted = head.getAttribute("aria-sort");
      const descending = sorted ? sorted === "ascending" : numeric;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const sign = descending ? -1 : 1;
      const compare = (one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a === "" || b === "") return (a === "") - (b === "");
        return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
      };
      body.append(...[...body.rows].sort(compare));
      updateCharts();
    });
  });

  const tools = make("div", { className: "tools" });
  const rows = [...body.rows];
  if (rows.length >= MIN_FILTERED_ROWS) {
    const text = make("input", { type: "search", placeholder: "filter", ariaLabel: `Filter ${caption}` });
    const counts = new Map();
    rows.forEach((row) => new Set(families(row)).forEach((family) => counts.set(family, (counts.get(family) ?? 0) + 1)));
    const shared = [...counts].filter(([, count]) => count > 1 && count < rows.length).map(([family]) => family);
    const choice = make("select", { ariaLabel: `Family of ${caption}` }, make("option", { value: "" }, "all families"));
    choice.append(...shared.sort().map((family) => make("option", { value: family }, family)));
    const shown = make("output");
    const filter = () => {
      const words = text.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const content = row.textContent.toLowerCase();
        const isOfFamily = choice.value === "" || families(row).includes(choice.value);
        row.hidden = !(isOfFamily && words.every((word) => content.includes(word)));
      }
      const count = rows.filter((row) => !row.hidden).length;
      shown.value = count < rows.length ? `${count} of ${rows.length}` : "";
      updateCharts();
    };
    text.addEventListener("input", filter);
    choice.addEventListener("change", filter);
    details.addEventListener("show-all", () => {
      text.value = choice.value = "";
      filter();
    });
    tools.append(text);
    if (shared.length > 0 && shared.length <= MAX_FAMILIES) tools.append(choice);
    tools.append(shown);
  }
  if (heads.length > MAIN_COLUMNS + 1) {
    table.classList.add("compact");
    const label = `${heads.length - MAIN_COLUMNS} more columns`;
    const more = make("button", { type: "button", ariaExpanded: "false" }, label);
    more.addEventListener("click", () => {
      const isCompact = table.classList.toggle("compact");
      more.textContent = isCompact ? label : "fewer columns";
      more.ariaExpanded = String(!isCompact);
    });
    tools.append(more);
  }
  const csv = make("button", { type: "button" }, "CSV");
  csv.title = "Save the rows as shown";
  csv.addEventListener("click", () => {
    const visible = [...body.rows].filter((row) => !row.hidden);
    const hasInterval = heads.map((_, column) => visible.some((row) => row.cells[column].querySelector(".interval")));
    const header = heads.flatMap((head, column) => {
      const title = head.textContent.trim();
      return hasInterval[column] ? [title, `${title} low`, `${title} high`] : [title];
    });
    const line = (row) =>
      [...row.cells].flatMap((cell, column) => {
        const value = cell.dataset.number ?? withoutId(cell);
        const [, low = "", high = ""] = /\[(.*), (.*)\]/.exec(cell.querySelector(".interval")?.textContent ?? "") ?? [];
        return hasInterval[column] ? [withoutId(cell), low, high] : [value];
      });
    const withItem = (row) => (isItemTable ? [itemOf(row), ...line(row)] : line(row));
    saveCsv(caption, [isItemTable ? ["item", ...header] : header, ...visible.map(withItem)]);
  });
  tools.append(csv);
  details.querySelector("summary").after(tools);
};

document.querySelectorAll("details.table").forEach(enhance);

// The name of an item is a link to its row in the first table with it.
for (const name of document.querySelectorAll("small.id")) {
  const link = make("a", { className: "id", href: `#item:${encodeURIComponent(name.textContent)}` }, name.textContent);
  name.replaceWith(link);
}
const showItem = () => {
  const [, encoded] = /^#item:(.*)$/.exec(location.hash) ?? [];
  if (encoded === undefined) return;
  const item = decodeURIComponent(encoded);
  const rows = [...document.querySelectorAll("details.table tbody tr")].filter((row) => itemOf(row) === item);
  document.querySelectorAll("tr.target").forEach((row) => row.classList.remove("target"));
  rows.forEach((row) => row.classList.add("target"));
  const details = rows[0]?.closest("details");
  if (!details) return;
  for (let outer = details; outer; outer = outer.parentElement.closest("details")) outer.open = true;
  if (rows[0].hidden) details.dispatchEvent(new Event("show-all"));
  rows[0].scrollIntoView({ block: "center" });
};
// A link to a folded section opens it.
const openSection = () => {
  const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = section?.querySelector(":scope > details.folded");
  if (!details || details.open) return;
  details.open = true;
  section.scrollIntoView();
};
addEventListener("hashchange", showItem);
addEventListener("hashchange", openSection);
showItem();
openSection();
