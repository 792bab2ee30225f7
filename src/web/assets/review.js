// The review of a finished game: the chances of all players, and the decisions that cost some of them.

import { element } from "./dom.js";

/** Size of the chart, in its own units. */
const [WIDTH, HEIGHT] = [640, 220];
/** Number of decisions that are listed at once. */
const MAX_LISTED = 5;
const SVG = "http://www.w3.org/2000/svg";

const points = (share) => `${Math.round(100 * share)} point${Math.round(100 * share) === 1 ? "" : "s"}`;

/** Returns the names of the players in sentences. */
export const playerNames = (seats) => seats.map(({ name }) => name);

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the events that are mistakes. */
export const mistakesOf = ({ events }) => events.filter(({ mistake }) => mistake);

function shape(name, attributes, children = []) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, value);
  }
  created.append(...children);
  return created;
}

/** Draws the chances over the decisions, with a mark at each mistake. A click shows the position there. */
function chart({ events, end }, mistakes, names, show) {
  const decisions = events.filter(({ kind, choices }) => kind === "decision" && choices > 1);
  const all = [...decisions, { n: events.length, before: end }];
  const x = (index) => (WIDTH * index) / Math.max(all.length - 1, 1);
  const y = (chance) => HEIGHT * (1 - chance);
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((chance) => [
    shape("line", { x1: 0, x2: WIDTH, y1: y(chance), y2: y(chance), class: "grid" }),
    shape("text", { x: 2, y: y(chance) + (chance === 1 ? 3 : -3), "dominant-baseline": chance === 1 ? "hanging" : "auto" }, [`${100 * chance} %`]),
  ]);
  const lines = names.map((_, seat) =>
    shape("polyline", { class: `seat${seat}`, points: all.map(({ before }, index) => `${x(index)},${y(before[seat])}`).join(" ") }),
  );
  const marks = mistakes.map((mistake) => {
    const { seat, before } = mistake;
    return shape("circle", { class: `seat${seat}`, cx: x(all.indexOf(mistake)), cy: y(before[seat]), r: 5 });
  });
  const label = `Chance to win of ${names.join(", ")} over ${all.length - 1} decisions`;
  const drawing = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, [...grid, ...lines, ...marks]);
  drawing.addEventListener("click", ({ clientX }) => {
    const { left, width } = drawing.getBoundingClientRect();
    const index = Math.round(((clientX - left) / width) * (all.length - 1));
    show(all[Math.min(Math.max(index, 0), all.length - 1)].n);
  });
  const keys = names.map((name, seat) =>
    element("span", { className: "key" }, [shape("svg", { viewBox: "0 0 30 6" }, [shape("line", { x1: 0, x2: 30, y1: 3, y2: 3, class: `seat${seat}` })]), ` ${name}`]),
  );
  return element("figure", { className: "chances" }, [drawing, element("figcaption", {}, keys)]);
}

/** Names a round; the setup is round 0. */
export const inRound = (round) => (round === 0 ? "the setup" : `round ${round}`);

/** Describes a mistake in a sentence. */
export const describeMistake = ({ mistake, loss, label, best_label, reason }, name) =>
  `${capitalized(name)}: ${label} – ${mistake}, cost ${points(loss)} of the chance to win. Better: ${best_label}${reason ? ` ${reason}` : ""}.`;

/** Returns the elements of a review. `show` shows the position before an event, with its mistake if it is one. */
export function describeReview(review, seats, show) {
  const [names, all] = [playerNames(seats), mistakesOf(review)];
  const item = (event) => {
    const words = event.mistake ? describeMistake(event, names[event.seat]) : `${capitalized(names[event.seat])}: ${event.label} – ${event.merit}.`;
    const button = element("button", { type: "button", textContent: `${capitalized(inRound(event.round))}. ${words}` });
    button.addEventListener("click", () => show(event.n, event.mistake ? event : undefined));
    return element("li", {}, [button]);
  };
  const list = (events) => element("ul", { className: "mistakes" }, events.map(item));
  const fold = (title, events) => (events.length > 0 ? [element("details", {}, [element("summary", { textContent: title }), list(events)])] : []);
  // A person reads the own mistakes first; those of others are folded.
  const own = all.filter(({ seat }) => names[seat] === "you");
  const mistakes = names.includes("you") ? own : all;
  const costs = mistakes.map(({ loss }) => loss).sort((one, other) => other - one);
  const matters = ({ loss }) => loss >= (costs[MAX_LISTED - 1] ?? 0);
  const others = all.filter((mistake) => !mistakes.includes(mistake) || !matters(mistake));
  const summary = `${others.length} more${mistakes === all ? "" : ", with those of the others"}`;
  const merits = review.events.filter(({ merit, seat }) => merit && (!names.includes("you") || names[seat] === "you"));
  const note = `By searches with ${review.iterations} iterations of each decision, more where they differ; points are percentage points of the chance to win.`;
  return [
    element("p", { className: "answer", textContent: review.answer }),
    chart(review, all, names, (event) => show(event)),
    list(mistakes.filter(matters)),
    ...fold(`${merits.length} best and only moves`, merits),
    ...fold(summary, others),
    element("p", { className: "soft", textContent: note }),
  ];
}
