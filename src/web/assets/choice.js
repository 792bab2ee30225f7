// Choosing an action, on a board or in a list.

import { $, element } from "./dom.js";

/** Number of actions from which they can be filtered. */
const MANY_ACTIONS = 12;
/** Milliseconds from which a tap is held, to read. */
const HELD = 450;

/** Actions of a position. `choose` gets the index of the chosen one. */
export class Choice {
  constructor({ board, list, filterRow, filter }, choose) {
    Object.assign(this, { board, list, filterRow, filter, choose, actions: [] });
    let pressed = 0;
    board.addEventListener("pointerdown", (event) => (pressed = event.timeStamp));
    board.addEventListener("click", (event) => this.clickBoard(event, event.timeStamp - pressed > HELD));
    board.addEventListener("contextmenu", (event) => this.clickBoard(event, true));
    filter.addEventListener("input", () => this.filterActions());
  }

  /** Shows the actions in the list, and marks their cells on the board. */
  show(actions) {
    this.actions = actions;
    this.filterRow.hidden = actions.length <= MANY_ACTIONS;
    this.filter.value = "";
    this.list.replaceChildren(...actions.map((_, index) => this.item(index)));
    for (const spot of this.board.querySelectorAll("[data-cell]")) {
      spot.classList.toggle("legal", this.ofCell(spot.dataset.cell).length > 0);
    }
  }

  item(index, done = () => {}) {
    const { label, action } = this.actions[index];
    const button = element("button", { type: "button", textContent: label, title: action });
    button.addEventListener("click", () => {
      done();
      this.choose(index);
    });
    return element("li", {}, [button]);
  }

  /** Returns the indices of the actions that a cell stands for. */
  ofCell(cell) {
    return [...this.actions.keys()].filter((index) => this.actions[index].cells.includes(cell));
  }

  /** Takes the only action of a part of the board; if there are others, or to read, says what it is and offers its actions. */
  clickBoard(event, isToRead) {
    const part = event.target.closest?.("[data-cell]") ?? event.target.closest?.("[role=img]");
    const text = part?.querySelector("title")?.textContent;
    if (!text) {
      return;
    }
    event.preventDefault();
    const found = part.dataset.cell ? this.ofCell(part.dataset.cell) : [];
    if (found.length === 1 && !isToRead) {
      this.choose(found[0]);
      return;
    }
    const close = () => $("chooser").close();
    $("chooser-title").textContent = found.length > 0 ? "Choose an action" : "No action here now";
    $("chooser-rule").textContent = `${text}.`;
    $("chooser-list").replaceChildren(...found.map((index) => this.item(index, close)));
    $("chooser-close").textContent = found.length > 0 ? "Cancel" : "Close";
    $("chooser").showModal();
  }

  filterActions() {
    const wanted = this.filter.value.toLowerCase();
    for (const [index, item] of [...this.list.children].entries()) {
      const { label, action } = this.actions[index];
      item.hidden = !`${label} ${action}`.toLowerCase().includes(wanted);
    }
  }
}

$("chooser-close").addEventListener("click", () => $("chooser").close());
