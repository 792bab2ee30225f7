// The forms of the start page.

import { answerOfToday, daysInARow } from "./daily.js";
import { $, download, element } from "./dom.js";
import { lessonsDone } from "./lesson.js";
import { exported, inWords, puzzleKey, ratingIn, ratingKey, takeOver } from "./rating.js";

/** The games that can be played. */
let offers = [];

function chosenGame() {
  const id = new FormData($("new-game")).get("game");
  return offers.find((offer) => offer.id === id) ?? offers[0];
}

/** Returns the opponents of a game for so many players with their ratings, by the names of the bots. */
export function ratedOpponents(game, count) {
  const entry = offers.find(({ id }) => id === game)?.players.find(({ players }) => players === count);
  const rated = (entry?.bots ?? []).filter(({ rating }) => rating);
  return new Map(rated.map(({ name, title, rating }) => [name, { name: title, rating: rating.value, deviation: (rating.high - rating.low) / 3.92 }]));
}

/** Returns the request for a game against the proposed opponent, with the usual number of players. */
export function firstGame(game) {
  const offer = offers.find(({ id }) => id === game);
  const entry = offer.players[usualPlayers(offer)];
  const bot = entry.bots[proposedBot(game, entry)];
  const seats = ["human", ...Array(entry.players - 1).fill(bot.name)];
  return { request: "new", game, players: entry.players, seats, seed: null, chance: "drawn", mode: entry.modes[0] ?? null };
}

/** Returns the games and numbers of players with rated opponents: their keys, and their titles in words. */
function ratedGames() {
  return offers.flatMap(({ id, title, players: entries }) => [
    ...entries
      .filter(({ bots }) => bots.some(({ rating }) => rating))
      .map(({ players }) => ({ key: ratingKey(id, players), title: players === 2 ? title : `${title} with ${players} players`, unit: "game" })),
    { key: puzzleKey(id), title: `Puzzles of ${title}`, unit: "puzzle" },
  ]);
}

const ratedKeys = () => ratedGames().map(({ key }) => key);

const saveRatings = () => download(exported(ratedKeys()), "watershed-ratings.json", "application/json");

/** Takes over ratings of a file. */
export function openRatings(text) {
  takeOver(text, ratedKeys());
  showStanding();
}

/** Shows the games that can be played. `play` begins one. */
export function showOffers(games, play) {
  offers = games;
  $("doors").replaceChildren(...offers.map((offer) => door(offer, play)));
  showStanding();
  for (const [index, offer] of offers.entries()) {
    const input = element("input", { type: "radio", name: "game", value: offer.id, checked: index === 0 });
    input.addEventListener("change", showPlayers);
    const players = offer.players.map((entry) => entry.players);
    const range = players.length > 1 ? `${players[0]} to ${players.at(-1)} players` : `${players[0]} players`;
    $("games").append(element("label", { className: "game-choice" }, [input, ` ${offer.title}, ${range}`]));
  }
  showPlayers();
}

/** Returns a card with a game by one click, and the lessons, puzzles and openings of the game. */
function door(offer, play) {
  const { id: game, title, description, files } = offer;
  const entry = offer.players[usualPlayers(offer)];
  const bot = entry.bots[proposedBot(game, entry)];
  const textContent = ["Play", bot.title, bot.rating?.value].filter(Boolean).join(" ");
  const button = element("button", { type: "button", className: "main", textContent });
  button.addEventListener("click", () => play(firstGame(game)));
  const links = files.flatMap(linksOf).sort(([one], [other]) => one - other);
  const items = links.map(([, query, words, state]) =>
    element("li", { className: state === "new" ? "new" : "" }, [element("a", { href: `?${query}`, textContent: words }), state ? ` ${state}` : ""]),
  );
  return element("section", { className: "door" }, [
    element("h3", { textContent: title }),
    element("p", { className: "soft", textContent: description }),
    element("p", {}, [button]),
    element("ul", {}, items),
  ]);
}

/** Returns the links to a file of a game: their order, address, words and state. */
function linksOf({ path, title }) {
  if (path.endsWith("-lessons.jsonl")) {
    return [[0, `open=${path}`, "Learn the game", lessonsDone(`?open=${path}`) ?? ""]];
  }
  if (path.includes("-puzzles.jsonl")) {
    const answer = answerOfToday(path);
    const state = answer === null ? "new" : answer ? "solved" : "done";
    return [[1, `daily=${path}`, "Puzzle of the day", state], [3, `open=${path}`, "All puzzles", ""]];
  }
  return [[2, `open=${path}`, title.replace(/ for 2 players$/, ""), ""]];
}

/** States the days in a row with solved puzzles, and the ratings of the person. */
function showStanding() {
  const days = Math.max(0, ...offers.flatMap(({ files }) => files.map(({ path }) => daysInARow(path))));
  const rated = ratedGames().map(({ key, title, unit }) => ({ title, unit, rating: ratingIn(key) })).filter(({ rating }) => rating.results.length > 0);
  const count = ({ length }, unit) => `${length} ${unit}${length === 1 ? "" : "s"}`;
  const facts = rated.map(({ title, unit, rating }) => `${title}: ${inWords(rating)} after ${count(rating.results, unit)}`);
  $("ratings").hidden = rated.length === 0;
  $("standing").textContent = [...(days > 0 ? [`Puzzle of the day: ${days} in a row`] : []), ...facts].join(" · ");
}

/** Returns the index of the usual number of players: a game for one is an exception. */
const usualPlayers = ({ players }) => Math.max(players.findIndex((entry) => entry.players >= 2), 0);

function showPlayers() {
  const offer = chosenGame();
  $("players").replaceChildren(
    ...offer.players.map((entry) => element("option", { value: entry.players, textContent: entry.players })),
  );
  $("players").selectedIndex = usualPlayers(offer);
  showSeats();
}

function showSeats() {
  const entry = chosenGame().players[$("players").selectedIndex];
  const bots = [...entry.bots, ...entry.more_bots];
  $("mode-row").hidden = entry.modes.length < 2;
  const modes = [["", "drawn at random"], ...entry.modes.map((mode) => [mode, mode])];
  $("mode").replaceChildren(...modes.map(([value, textContent]) => element("option", { value, textContent })));
  // A mode of the rules, if there is a choice.
  $("mode").selectedIndex = entry.modes.length < 2 ? 0 : 1;
  const option = (bot) => element("option", { value: bot.name, textContent: bot.rating ? `${bot.title}, ${bot.rating.value}` : `Bot: ${bot.title}` });
  const seats = [];
  for (let seat = 0; seat < entry.players; seat += 1) {
    const select = element("select", { id: `seat-${seat}`, name: "seat" }, [
      element("option", { value: "human", textContent: "A person" }),
      ...entry.bots.map(option),
      element("optgroup", { label: "Bots of the studies" }, entry.more_bots.map(option)),
    ]);
    select.selectedIndex = seat === 0 ? 0 : 1 + proposedBot(chosenGame().id, entry);
    const text = element("p", { className: "soft", id: `seat-text-${seat}` });
    const describe = () => {
      const bot = bots[select.selectedIndex - 1];
      text.textContent = bot?.description ?? "Decides on this page.";
      text.title = bot ? `Bot: ${bot.name}` : "";
    };
    select.setAttribute("aria-describedby", text.id);
    select.addEventListener("change", describe);
    describe();
    const label = element("label", { htmlFor: select.id, textContent: `Player ${seat + 1} ` });
    seats.push(element("div", { className: "seat" }, [label, select, text]));
  }
  $("seats").replaceChildren(...seats);
}

/** Returns the index of the opponent whose rating is nearest to that of the person, who begins with the proposed one. */
function proposedBot(game, { players, bots, proposed_bot }) {
  const own = ratingIn(ratingKey(game, players));
  const distance = ({ rating }) => (rating ? Math.abs(rating.value - own.rating) : Infinity);
  if (own.results.length === 0 || !bots.some(({ rating }) => rating)) {
    return proposed_bot;
  }
  return bots.reduce((best, bot, index) => (distance(bot) < distance(bots[best]) ? index : best), 0);
}

/** Returns the request for the game of the form. */
export function newGame() {
  const form = new FormData($("new-game"));
  const seed = $("seed").value.trim();
  return {
    request: "new",
    game: chosenGame().id,
    players: Number($("players").value),
    seats: form.getAll("seat"),
    seed: seed === "" ? null : Number(seed),
    chance: form.get("chance"),
    mode: $("mode").value || null,
  };
}

/** Returns the kind of a file: `book`, `lesson`, `puzzle`, `rating`, `page`, or `game` for everything else. */
export function kindOf(text) {
  if (/^\s*<!doctype html/i.test(text)) {
    return "page";
  }
  const end = text.indexOf("\n");
  // The first line of each format says which one it is.
  const name = /"format":\s*"watershed\.(\w+)\//.exec(end < 0 ? text : text.slice(0, end))?.[1];
  return ["book", "lesson", "puzzle", "rating"].includes(name) ? name : "game";
}

/** Returns the index of the game or puzzle of a file with which to begin. */
export const fileIndex = () => Number($("index").value) - 1;

/** Returns the request for a game of a file. */
export function gameOfFile(lines, index) {
  const record = lines[index];
  if (!record) {
    throw new Error(`the file has ${lines.length} lines`);
  }
  if ($("load-seats").value !== "human") {
    return { request: "load", record };
  }
  let players;
  try {
    ({ players } = JSON.parse(record));
  } catch {
    players = 0;
  }
  return { request: "load", record, seats: Array(players).fill("human") };
}

$("players").addEventListener("change", showSeats);
$("ratings-save").addEventListener("click", saveRatings);
