// Missed puzzles and own mistakes, which come back after some days until each is right every time.

import { read, write as writeTo } from "./store.js";

const KEY = "watershed-repeat";
/** Days after which an entry comes back: after a miss, and after each right answer. */
const DAYS = [1, 3, 7, 21];
const DAY = 86_400_000;
/** Number of entries that are kept, the last ones. */
const MAX_ENTRIES = 60;

const entries = () => read(KEY, []);

// Without storage, nothing comes back.
const write = (kept) => writeTo(KEY, kept.slice(-MAX_ENTRIES));

const ofStage = (line, stage) => ({ line, stage, due: Date.now() + DAYS[stage] * DAY });

/** Keeps a lesson that is not kept yet. */
export function keep(line) {
  const kept = entries();
  if (kept.every((entry) => entry.line !== line)) {
    write([...kept, ofStage(line, 0)]);
  }
}

export const drop = (line) => write(entries().filter((entry) => entry.line !== line));

/** Notes an answer: a miss is kept, and what is right comes back later, from the day on which it is due. */
export function remember(line, isRight) {
  const kept = entries();
  const known = kept.find((entry) => entry.line === line);
  if (isRight && (!known || known.due > Date.now())) {
    return;
  }
  const stage = isRight ? known.stage + 1 : 0;
  const entry = stage < DAYS.length ? [ofStage(line, stage)] : [];
  write([...kept.filter((other) => other !== known), ...entry]);
}

/** Returns the lines of a kind, `puzzle` or `lesson`, that are due. */
export function dueLines(kind) {
  const now = Date.now();
  const isDue = ({ line, due }) => due <= now && line.includes(`"watershed.${kind}/`);
  return entries().filter(isDue).map(({ line }) => line);
}
