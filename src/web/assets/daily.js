// The puzzle of the day: by the date, the same for all, with the days in a row on which it was solved.

const PREFIX = "watershed-daily:";
const DAY = 86_400_000;

/** Returns the number of this day in the calendar of the person. */
function dayNumber() {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;
}

/** Returns the date of today, as in 2026-11-27. */
export const today = () => new Date(dayNumber() * DAY).toISOString().slice(0, 10);

function kept(path) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + path)) ?? { day: 0, isSolved: false, days: 0 };
  } catch {
    return { day: 0, isSolved: false, days: 0 };
  }
}

/** Returns the line of the puzzle of today, and whether the first answer to it was right; null before an answer. */
export function ofToday(lines, path) {
  const { day, isSolved } = kept(path);
  return { line: lines[dayNumber() % lines.length], answer: day === dayNumber() ? isSolved : null };
}

/** Keeps the first answer of today, if one is given, and returns the days in a row with a right one. */
export function daysInARow(path, isSolved = null) {
  const last = kept(path);
  if (isSolved === null || last.day === dayNumber()) {
    return last.day >= dayNumber() - 1 ? last.days : 0;
  }
  const before = last.day === dayNumber() - 1 ? last.days : 0;
  const days = isSolved ? before + 1 : 0;
  localStorage.setItem(PREFIX + path, JSON.stringify({ day: dayNumber(), isSolved, days }));
  return days;
}
