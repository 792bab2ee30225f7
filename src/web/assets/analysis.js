// Hints in words.

import { element } from "./dom.js";

/** The origin of the numbers that the last hint had; it is stated when it changes. */
let stated = null;

export function describeHint({ verdict, chances, method, actions }) {
  const items = actions.map(({ label, number, reason }) => {
    const facts = number ? ` (${number})` : "";
    return element("li", { textContent: `${label}${facts}${reason ? `: ${reason}` : ""}` });
  });
  const origin = method === stated ? null : method;
  stated = method;
  const text = [chances, origin, `${verdict}:`].filter(Boolean).join(" ");
  return [element("p", { textContent: text }), element("ol", {}, items)];
}
