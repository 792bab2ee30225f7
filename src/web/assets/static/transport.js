// The connection to the application: workers of this browser that run it as WebAssembly.

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
  return (request) => {
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
}

export async function connect() {
  // Without a secure address, or in a private window, the page works as long as there is a network.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
  const call = startWorker();
  /** The worker of reviews, which takes copies of games, so that other requests do not wait for a review. */
  let reviewer = null;
  const review = async (request) => {
    const saved = await call({ request: "save", id: request.id });
    if (saved.error) {
      return saved;
    }
    reviewer ??= startWorker();
    const loaded = await reviewer({ request: "load", record: saved.record });
    if (loaded.error) {
      return loaded;
    }
    const { id } = loaded.view;
    const answer = await reviewer({ ...request, id });
    await reviewer({ request: "close", id });
    return answer;
  };
  return { isServer: false, call: (request) => (request.request === "review" ? review(request) : call(request)) };
}
