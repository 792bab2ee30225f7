// The rating of the person at this page, by Glicko-2 (Glickman 2013) against opponents with measured ratings.

import { read, write } from "./store.js";

const PREFIX = "watershed-rating:";
/** Rating, deviation and volatility before the first game; one unit of the scale is 173.7178 points. */
const START = { rating: 1200, deviation: 350, volatility: 0.06 };
const [SCALE, CENTER] = [173.7178, 1500];
/** Constraint of the change of the volatility. */
const TAU = 0.5;
const MIN_DEVIATION = 30;

/** Returns the rating after some results `{ rating, deviation, score }` against opponents; the score is 1, 0.5 or 0. */
export function update({ rating, deviation, volatility }, results) {
  const [mu, phi] = [(rating - CENTER) / SCALE, deviation / SCALE];
  const terms = results.map((other) => {
    const weight = 1 / Math.sqrt(1 + (3 * (other.deviation / SCALE) ** 2) / Math.PI ** 2);
    const expected = 1 / (1 + Math.exp(-weight * (mu - (other.rating - CENTER) / SCALE)));
    return { weight, expected, score: other.score };
  });
  const variance = 1 / terms.reduce((sum, { weight, expected }) => sum + weight ** 2 * expected * (1 - expected), 0);
  const surprise = terms.reduce((sum, { weight, expected, score }) => sum + weight * (score - expected), 0);
  const newVolatility = nextVolatility(phi, volatility, variance, variance * surprise);
  const spread = Math.sqrt(phi ** 2 + newVolatility ** 2);
  const newPhi = 1 / Math.sqrt(1 / spread ** 2 + 1 / variance);
  return {
    rating: CENTER + SCALE * (mu + newPhi ** 2 * surprise),
    deviation: Math.max(SCALE * newPhi, MIN_DEVIATION),
    volatility: newVolatility,
  };
}

/** Finds the volatility with the largest posterior density (Illinois algorithm, step 5 of the paper). */
function nextVolatility(phi, volatility, variance, change) {
  const start = Math.log(volatility ** 2);
  const slope = (x) => {
    const spread = phi ** 2 + variance + Math.exp(x);
    return (Math.exp(x) * (change ** 2 - spread)) / (2 * spread ** 2) - (x - start) / TAU ** 2;
  };
  let low = start;
  let high = Math.log(change ** 2 - phi ** 2 - variance);
  if (!(change ** 2 > phi ** 2 + variance)) {
    let steps = 1;
    while (slope(start - steps * TAU) < 0) {
      steps += 1;
    }
    high = start - steps * TAU;
  }
  let [atLow, atHigh] = [slope(low), slope(high)];
  while (Math.abs(high - low) > 1e-6) {
    const next = low + ((low - high) * atLow) / (atHigh - atLow);
    const atNext = slope(next);
    if (atNext * atHigh <= 0) {
      [low, atLow] = [high, atHigh];
    } else {
      atLow /= 2;
    }
    [high, atHigh] = [next, atNext];
  }
  return Math.exp(low / 2);
}

/** Returns the name under which the rating is kept in games of so many players. */
export const ratingKey = (game, players) => (players === 2 ? game : `${game}/${players}`);

/** Returns the name under which the rating in puzzles of a game is kept. */
export const puzzleKey = (game) => `${game}/puzzles`;

/** Returns the rating in a game with the results that it rests on, the first one first. */
export function ratingIn(game) {
  const rating = read(PREFIX + game);
  return isRating(rating) ? rating : { ...START, results: [] };
}

/** Adds the results of a game against its opponents unless it is known, and returns the rating before and after. */
export function addResult(game, id, opponents) {
  const before = ratingIn(game);
  if (before.results.some((result) => result.id === id)) {
    return null;
  }
  const after = update(before, opponents);
  const score = opponents.reduce((sum, opponent) => sum + opponent.score, 0) / opponents.length;
  const opponent = opponents.map(({ name }) => name).join(", ");
  const result = { id, date: new Date().toISOString().slice(0, 10), opponent, score };
  return write(PREFIX + game, { ...after, results: [...before.results, result] }) ? { before, after } : null;
}

/** Returns a rating in words, with its 95 % interval. */
export const inWords = ({ rating, deviation }) => `${Math.round(rating)} ± ${Math.round(1.96 * deviation)}`;

/** Returns the ratings in these games as a text, for a file. */
export function exported(games) {
  const ratings = Object.fromEntries(games.map((game) => [game, ratingIn(game)]));
  return JSON.stringify({ format: "watershed.rating/1", ratings });
}

/** Returns true for a rating that can be one. */
function isRating(rating) {
  const isIn = (key, low, high) => rating?.[key] >= low && rating[key] <= high;
  const isNumbers = isIn("rating", -5000, 10000) && isIn("deviation", 1, 1000) && isIn("volatility", 1e-4, 1);
  return isNumbers && Array.isArray(rating.results) && rating.results.every((result) => typeof result?.id === "string");
}

/** Takes over the ratings of such a text in these games, in place of those of this browser. */
export function takeOver(text, games) {
  const { ratings } = JSON.parse(text);
  const found = games.filter((game) => isRating(ratings?.[game]));
  if (found.length === 0) {
    throw new Error("the file holds no rating of a game of this page");
  }
  for (const game of found) {
    write(PREFIX + game, ratings[game]);
  }
}
