// The games that the browser keeps, so that they survive the server and the worker.

const PREFIX = "watershed:";
/** Number of games that are kept. */
const MAX_GAMES = 12;

/** Returns a game: its record or the copy of it, heading, origin of chance and time. */
export function stored(id) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + id));
  } catch {
    return null;
  }
}

/** Returns all games, the last one first. */
export function storedGames() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  const ids = keys.map((key) => key.slice(PREFIX.length));
  const games = ids.map((id) => ({ id, ...stored(id) }));
  return games.sort((one, other) => (other.time ?? 0) - (one.time ?? 0));
}

export function keep(id, game) {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify({ ...game, time: Date.now() }));
    for (const old of storedGames().slice(MAX_GAMES)) {
      forget(old.id);
    }
  } catch {
    // Without storage, only the application keeps games.
  }
}

export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}
