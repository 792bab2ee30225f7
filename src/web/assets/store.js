// The games that the browser keeps, so that they survive the server and the worker.

const PREFIX = "watershed:";
/** Number of games that are kept. */
const MAX_GAMES = 12;

/** Returns a value that the browser keeps, or another one if there is none that can be read. */
export function read(key, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keeps a value, and returns false without storage. */
export function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Returns a game: its record or the copy of it, heading, origin of chance and time. */
export const stored = (id) => read(PREFIX + id);

/** Returns all games, the last one first. */
export function storedGames() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  const ids = keys.map((key) => key.slice(PREFIX.length));
  const games = ids.map((id) => ({ id, ...stored(id) }));
  return games.sort((one, other) => (other.time ?? 0) - (one.time ?? 0));
}

export function keep(id, game) {
  // Without storage, only the application keeps games.
  if (write(PREFIX + id, { ...game, time: Date.now() })) {
    storedGames().slice(MAX_GAMES).forEach((old) => forget(old.id));
  }
}

export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}
