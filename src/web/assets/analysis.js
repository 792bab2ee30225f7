// Hints in words.

import { element } from "./dom.js";

/** True if a hint has named the bot that gives hints. */
let isNamed = false;

export function describeHint({ verdict, explanation, actions }) {
  const items = actions.map(({ label, number, visits, reason }) => {
    const facts = visits > 0 ? ` (${number})` : "";
    return element("li", { textContent: `${label}${facts}${reason ? `: ${reason}` : ""}` });
  });
  const chances = isNamed ? explanation?.replace(/ \([^)]*calibrated\)/, "") : explanation;
  isNamed ||= Boolean(explanation);
  const text = chances ? `${chances} ${verdict}:` : `${verdict}:`;
  return [element("p", { textContent: text }), element("ol", {}, items)];
}
