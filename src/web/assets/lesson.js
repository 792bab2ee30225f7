// Lessons: positions of games, each with one task. They teach a game, and bring own mistakes back.

import { $ } from "./dom.js";
import { remember } from "./repeat.js";

/** The lines of the file, each a lesson. */
let lines = [];
let index = 0;
/** The lesson on the page; null without one. */
let lesson = null;

/** Chooses a lesson of a file, and returns the record of its game. */
export function chooseLesson(all, at) {
  lines = all;
  index = Math.min(Math.max(at, 0), lines.length - 1);
  lesson = { ...JSON.parse(lines[index]), isFirst: true };
  return JSON.stringify(lesson.record);
}

/** Returns the lessons and the index of the next one; null after the last one. */
export const nextLesson = () => (index + 1 < lines.length ? [lines, index + 1] : null);

export function endLesson() {
  lesson = null;
  $("lesson").hidden = true;
}

/** Shows the task. */
export function showLesson() {
  $("lesson").hidden = false;
  $("lesson-title").textContent = `${lesson.title} (${index + 1} of ${lines.length})`;
  $("lesson-task").textContent = lesson.task;
  $("lesson-verdict").textContent = "";
  $("lesson-next").hidden = true;
}

/** Judges an action; returns false if it does not fulfil the task and is not to be taken. */
export function fulfils({ notation, label }) {
  if (lesson === null || lesson.isDone) {
    return true;
  }
  const isRight = lesson.accept ? notation.startsWith(lesson.accept) : label === lesson.label;
  if (lesson.label && lesson.isFirst) {
    remember(lines[index], isRight);
  }
  lesson.isFirst = false;
  lesson.isDone = isRight;
  $("lesson-verdict").textContent = isRight ? `Right. ${lesson.done}` : `${label}: possible, but not what is asked for. Try again.`;
  $("lesson-next").hidden = !isRight || nextLesson() === null;
  return isRight;
}
