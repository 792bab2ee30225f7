"use strict";
for (const table of document.querySelectorAll("details.table table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
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
    });
  });
}
addEventListener("beforeprint", () => document.querySelectorAll("details.table").forEach((table) => (table.open = true)));
