// Lessons: positions of games, each with one task. They teach a game, and bring own mistakes back.

import { $ } from "./dom.js";
import { remember } from "./repeat.js";

/** Returns an action without the cost in brackets, which lessons that were kept earlier do not have. */
const withoutCost = (label) => label.replace(/ \([^)]*\)$/, "");

/** Returns how many lessons at an address were done, in words; null before the first one. */
export const lessonsDone = (address) => localStorage.getItem(`watershed-lessons:${address}`);

/** The lines of the file, each a lesson. */
let lines = [];
let index = 0;
/** The lesson on the page, with the number of events of its position; null without one. */
let lesson = null;

/** Returns the record of the game of a lesson. */
export function recordOf(line) {
  const { record } = JSON.parse(line);
  // Own mistakes have a copy in which nothing hidden is read by accident.
  return typeof record === "string" ? record : JSON.stringify(record);
}

/** Shows the task of a lesson whose game is on the page. */
export function beginLesson(all, at, events) {
  [lines, index] = [all, at];
  lesson = { ...JSON.parse(lines[index]), events, isFirst: true };
  $("lesson").hidden = false;
  $("lesson-title").textContent = `${lesson.title} (${index + 1} of ${lines.length})`;
  $("lesson-task").textContent = lesson.task;
  $("lesson-verdict").textContent = "";
  $("lesson-next").hidden = true;
}

/** Returns the lessons and the index of the next one. */
export const nextLesson = () => [lines, Math.min(index + 1, lines.length - 1)];

export const isLesson = () => lesson !== null;

export function endLesson() {
  lesson = null;
  $("lesson").hidden = true;
}

/** Judges an action after so many events; returns false if it does not fulfil the task and is not to be taken. */
export function fulfils({ action, label }, events) {
  // Who takes earlier decisions back or plays on is free.
  if (lesson === null || lesson.isDone || events !== lesson.events) {
    return true;
  }
  const isRight = lesson.accept ? action.startsWith(lesson.accept) : [label, withoutCost(label)].includes(lesson.label);
  if (lesson.label && lesson.isFirst) {
    remember(lines[index], isRight);
  }
  lesson.isFirst = false;
  lesson.isDone = isRight;
  if (isRight && location.search) {
    const done = Math.max(index + 1, Number.parseInt(lessonsDone(location.search) ?? 0, 10));
    localStorage.setItem(`watershed-lessons:${location.search}`, `${done} of ${lines.length} done`);
  }
  $("lesson-verdict").textContent = isRight ? `Right. ${lesson.done}` : `${label}: possible, but not what is asked for. Try again.`;
  $("lesson-verdict").scrollIntoView({ block: "nearest" });
  $("lesson-next").hidden = !isRight || index + 1 === lines.length;
  return isRight;
}
