// The application: requests to it, and its problems on the page.

import { $ } from "./dom.js";
import { connect } from "./transport.js";

let transport;

/** Connects to the application, and returns the connection. */
export async function start() {
  transport = await connect();
  return transport;
}

/** Sends a request and returns the content of the answer, or throws its problem. A server stops its work on the signal. */
export async function ask(request, signal) {
  const answer = await transport.call(request, signal);
  if (answer.error) {
    throw Object.assign(new Error(answer.error), { kind: answer.kind });
  }
  return Object.values(answer)[0];
}

export function showError(error) {
  const text = error ? `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}` : "";
  $("error").textContent = text.replace(/[^.?!]$/, "$&.");
  if (error) {
    $("error").scrollIntoView({ block: "nearest" });
  }
}

/** Runs what a button does, and shows its problem; `refresh` shows a game that has changed meanwhile. */
export async function attempt(work, refresh = null) {
  showError(null);
  try {
    await work();
  } catch (error) {
    if (error.kind === "stale" && refresh) {
      await refresh();
      return;
    }
    showError(error);
  }
}
