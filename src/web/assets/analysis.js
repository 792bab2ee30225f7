// Hints in words.

import { element } from "./dom.js";

export function describeHint({ verdict, explanation, actions }) {
  const items = actions.map(({ label, number, visits, reason }) => {
    const facts = visits > 0 ? ` (${number})` : "";
    return element("li", { textContent: `${label}${facts}${reason ? `: ${reason}` : ""}` });
  });
  const text = explanation ? `${explanation} ${verdict}:` : `${verdict}:`;
  return [element("p", { textContent: text }), element("ol", {}, items)];
}
