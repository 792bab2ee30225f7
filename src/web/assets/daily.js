// The puzzle of the day: by the date, the same for all, with the days in a row on which it was solved.

import { read, write } from "./store.js";

const PREFIX = "watershed-daily:";
const DAY = 86_400_000;

/** Returns the number of this day in the calendar of the person. */
function dayNumber() {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;
}

/** The day of the puzzle that is shown, which may be over when it is answered. */
let day = dayNumber();

/** Returns the date of the puzzle, as in 2026-11-27. */
export const today = () => new Date(day * DAY).toISOString().slice(0, 10);

const kept = (path) => read(PREFIX + path, { day: 0, isSolved: false, days: 0 });

/** Returns true if the puzzle of today was solved, and null before an answer. */
export const answerOfToday = (path) => (kept(path).day === dayNumber() ? kept(path).isSolved : null);

/** Returns the line of the puzzle of today, and whether the first answer to it was right; null before an answer. */
export function ofToday(lines, path) {
  day = dayNumber();
  const last = kept(path);
  return { line: lines[day % lines.length], answer: last.day === day ? last.isSolved : null };
}

/** Keeps the first answer of today, if one is given, and returns the days in a row with a right one. */
export function daysInARow(path, isSolved = null) {
  const last = kept(path);
  if (isSolved === null || last.day >= day) {
    return last.day >= day - 1 ? last.days : 0;
  }
  const before = last.day === day - 1 ? last.days : 0;
  const days = isSolved ? before + 1 : 0;
  write(PREFIX + path, { day, isSolved, days });
  return days;
}
