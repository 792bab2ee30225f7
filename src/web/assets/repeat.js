// Missed puzzles and own mistakes, which come back after some days until each is right every time.

const KEY = "watershed-repeat";
/** Days after which an entry comes back: after a miss, and after each right answer. */
const DAYS = [1, 3, 7, 21];
const DAY = 86_400_000;
/** Number of entries that are kept, the last ones. */
const MAX_ENTRIES = 60;

function entries() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

/** Keeps a missed puzzle or lesson, or notes a right answer to one that is kept. */
export function remember(line, isRight) {
  const kept = entries();
  const known = kept.find((entry) => entry.line === line);
  const stage = isRight ? (known?.stage ?? 0) + 1 : 0;
  const others = kept.filter((entry) => entry !== known);
  // What was never missed, or right after the longest time, does not come back.
  const isKept = stage < DAYS.length && (known || !isRight);
  const entry = isKept ? [{ line, stage, due: Date.now() + DAYS[stage] * DAY }] : [];
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, ...entry].slice(-MAX_ENTRIES)));
  } catch {
    // Without storage, nothing comes back.
  }
}

/** Returns the lines of a kind, `puzzle` or `lesson`, that are due. */
export function dueLines(kind) {
  const now = Date.now();
  const isDue = ({ line, due }) => due <= now && line.includes(`"watershed.${kind}/`);
  return entries().filter(isDue).map(({ line }) => line);
}
