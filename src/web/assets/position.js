// Positions that are set up by hand, as text.

import { ask } from "./application.js";
import { $ } from "./dom.js";

/** Opens the dialog with a position. Each word stands on a line of its own, each seat after an empty line. */
export function editPosition(text) {
  $("set-up-text").value = text.replaceAll(" ", "\n").replaceAll("\nseat:", "\n\nseat:");
  $("set-up-error").textContent = "";
  $("set-up").showModal();
}

/** Opens the dialog with the first decision of a game. */
export async function editBeginning({ game, players }) {
  let view = await ask({ request: "new", game, players, seats: Array(players).fill("human"), seed: 1 });
  const { id } = view;
  while (view.next === "drawn_chance") {
    view = await ask({ request: "step", id, events: view.events });
  }
  // All roles are known to the one who sets a position up: those of the beginning are an example.
  const text = await ask({ request: "position", id }).catch(() => `${game}/${players} `);
  await ask({ request: "close", id });
  editPosition(text);
}

/** Begins a game from the position in the dialog, which stays open with the error if there is one. */
export async function readPosition(open) {
  try {
    await open($("set-up-text").value.trim().split(/\s+/).join(" "), $("set-up-bot").value || null);
    $("set-up").close();
  } catch (error) {
    $("set-up-error").textContent = `${error.message}.`;
  }
}
