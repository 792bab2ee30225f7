// The connection to the application: a worker of this browser that runs it as WebAssembly.

export async function connect() {
  // Without a secure address, or in a private window, the page works as long as there is a network.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
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
  return {
    isServer: false,
    call(request) {
      if (failure) {
        return Promise.reject(failure);
      }
      number += 1;
      const sent = number;
      return new Promise((resolve, reject) => {
        waiting.set(sent, { resolve, reject });
        worker.postMessage({ number: sent, request: JSON.stringify(request) });
      });
    },
  };
}
