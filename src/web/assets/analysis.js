// Analyses in words.

import { element } from "./dom.js";
import { interval } from "./numbers.js";

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const points = (score) => score.toFixed(1);

export function describeHint(hint) {
  const items = hint.actions.map(({ label, visits, chance }) => {
    const value = chance === null ? "" : `${percent(chance)} win chance, `;
    return element("li", { textContent: `${label} (${value}${visits} visits)` });
  });
  const calibrated = hint.calibrated ? "calibrated" : "not calibrated";
  const text = `Best actions by ${hint.bot} (${hint.iterations} iterations; win chances ${calibrated}):`;
  return [element("p", { textContent: text }), element("ol", {}, items)];
}

export function describeChances(chances) {
  const items = chances.seats.map(({ win, score }, seat) => {
    const ofWins = interval(win, (low, high) => `(95 % CI ${percent(low)} to ${percent(high)})`);
    const ofScore = interval(score, (low, high) => `(${points(low)} to ${points(high)})`);
    const wins = `${percent(win.value)} of games won${ofWins}`;
    return element("li", { textContent: `Player ${seat + 1}: ${wins}, score ${points(score.value)}${ofScore}` });
  });
  const text =
    `After “${chances.action}”, the choice of ${chances.search}, in ${chances.rollouts} games from here, ` +
    `played by ${chances.policy} in all seats:`;
  return [element("p", { textContent: text }), element("ul", {}, items)];
}
