// The connection to the application: workers of this browser that run it as WebAssembly.

import { stored } from "./store.js";

/** Starts a worker, and returns the function that sends a request to it. */
function startWorker() {
  const worker = new Worker("worker.js", { type: "module" });
  /** The requests without an answer, by number. */
  const waiting = new Map();
  let number = 0;
  let failure = null;
  const fail = (message) => {
    failure = new Error(`${message}; reload the page to continue`);
    for (const { reject } of waiting.values()) {
      reject(failure);
    }
    waiting.clear();
  };
  worker.onmessage = ({ data }) => {
    if (data.failure) {
      fail(data.failure);
      return;
    }
    waiting.get(data.number)?.resolve(JSON.parse(data.answer));
    waiting.delete(data.number);
  };
  worker.onerror = (event) => fail(event.message ?? "the worker does not start");
  const call = (request) => {
    if (failure) {
      return Promise.reject(failure);
    }
    number += 1;
    const sent = number;
    return new Promise((resolve, reject) => {
      waiting.set(sent, { resolve, reject });
      worker.postMessage({ number: sent, request: JSON.stringify(request) });
    });
  };
  return Object.assign(call, { end: () => worker.terminate() });
}

export async function connect() {
  // Without a secure address, or in a private window, the page works as long as there is a network.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
  const call = startWorker();
  /** The worker of reviews, which takes copies of games, so that other requests do not wait for a review. */
  let reviewer = null;
  /** The game that it reviews. */
  let reviewed = null;
  const review = async (request) => {
    const saved = await call({ request: "save", id: request.id });
    if (saved.error) {
      return saved;
    }
    if (reviewed !== request.id) {
      // Nobody waits for the review of another game.
      reviewer?.end();
      reviewer = null;
    }
    reviewed = request.id;
    reviewer ??= startWorker();
    const own = reviewer;
    try {
      const loaded = await own({ request: "load", record: saved.record, version: stored(request.id)?.version });
      return loaded.error ? loaded : await own({ ...request, id: loaded.view.id });
    } catch (error) {
      // The next review begins with another worker.
      reviewed = null;
      throw error;
    }
  };
  /** The workers of comparisons, one for each core. */
  let players = null;
  /** Returns a part of a range of blocks. */
  const part = ([from, to], index) => [index, index + 1].map((border) => from + Math.floor(((to - from) * border) / players.length));
  /** Divides the blocks of a request among the workers; `divide` does it for one of them, and `join` adds sums to those of the request. */
  const share = async (request, divide, join) => {
    players ??= Array.from({ length: navigator.hardwareConcurrency || 2 }, startWorker);
    const answers = await Promise.all(players.map((play, index) => play({ ...request, ...divide(index) })));
    const sums = answers.map((answer) => Object.values(answer)[0].sums);
    return answers.find(({ error }) => error) ?? players[0]({ ...request, ...join(sums) });
  };
  const compare = (request) =>
    share(
      request,
      (index) => ({ blocks: part(request.blocks, index), sums: [] }),
      (sums) => ({ blocks: [request.blocks[1], request.blocks[1]], sums: [...request.sums, ...sums] }),
    );
  const worth = (request) =>
    share(
      request,
      (index) => ({ blocks: request.blocks.map((range) => part(range, index)), sums: [[], []] }),
      (sums) => ({
        blocks: request.blocks.map(([, to]) => [to, to]),
        sums: request.sums.map((earlier, side) => [...earlier, ...sums.map((one) => one[side])]),
      }),
    );
  const others = { review, compare, worth };
  return { isServer: false, call: (request) => (others[request.request] ?? call)(request) };
}
