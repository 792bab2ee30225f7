// Lessons: positions of games, each with one task. They teach a game, and bring own mistakes back.

import { ask } from "./application.js";
import { $ } from "./dom.js";
import { remember } from "./repeat.js";
import { read, write } from "./store.js";

/** Returns an action without the cost in brackets, which lessons that were kept earlier do not have. */
const withoutCost = (label) => label.replace(/ \([^)]*\)$/, "");

/** Returns how many lessons at an address were done, in words; null before the first one. */
export const lessonsDone = (address) => read(`watershed-lessons:${address}`);

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
  lesson = { ...JSON.parse(lines[index]), events, isFirst: true, decisions: 0 };
  $("lesson").hidden = false;
  $("lesson-title").textContent = `${lesson.title} (${index + 1} of ${lines.length})`;
  $("lesson-task").textContent = lesson.task;
  $("lesson-verdict").textContent = "";
  $("lesson-next").hidden = true;
  $("lesson-next").textContent = index + 1 < lines.length ? "Next lesson" : "Play a first game";
}

/** Returns true after the last lesson of a game; own mistakes end where they are. */
export const isLastLesson = () => lesson?.accept !== undefined && index + 1 === lines.length;

/** Returns true if each decision of the lesson is judged after it, and none is refused. */
export const isCoached = () => Boolean(lesson?.coach) && !lesson.isDone;

/** Returns the lessons and the index of the next one. */
export const nextLesson = () => [lines, Math.min(index + 1, lines.length - 1)];

export const isLesson = () => lesson !== null;

export function endLesson() {
  lesson = null;
  $("lesson").hidden = true;
}

/** Judges an action of a game after so many events; returns false if it does not fulfil the task and is not to be taken. */
export async function fulfils({ action, label }, { id, events }) {
  // Who takes earlier decisions back or plays on is free.
  if (lesson === null || lesson.isDone || (!lesson.coach && events !== lesson.events)) {
    return true;
  }
  if (lesson.coach) {
    lesson.decisions += 1;
    if (lesson.decisions === lesson.coach) {
      finish();
    }
    return true;
  }
  let isRight = lesson.accept === undefined ? [label, withoutCost(label)].includes(lesson.label) : action.startsWith(lesson.accept);
  let verdict = `${label}: possible, but not what is asked for.`;
  if (isRight && lesson.judged) {
    const own = lesson;
    $("lesson-verdict").textContent = "Searching …";
    const { judgement } = await ask({ request: "hint", id, action });
    if (lesson !== own) {
      return false;
    }
    isRight = judgement.is_good;
    verdict = judgement.text;
  }
  if (lesson.label && lesson.isFirst) {
    remember(lines[index], isRight);
  }
  lesson.isFirst = false;
  if (isRight) {
    finish();
  } else {
    $("lesson-verdict").textContent = `${verdict} Try again.`;
  }
  $("lesson-verdict").scrollIntoView({ block: "nearest" });
  return isRight;
}

function finish() {
  lesson.isDone = true;
  if (location.search.startsWith("?open=")) {
    const done = Math.max(index + 1, Number.parseInt(lessonsDone(location.search) ?? 0, 10));
    write(`watershed-lessons:${location.search}`, `${done} of ${lines.length} done`);
  }
  $("lesson-verdict").textContent = lesson.coach ? lesson.done : `Right. ${lesson.done}`;
  $("lesson-next").hidden = index + 1 === lines.length && !isLastLesson();
}
