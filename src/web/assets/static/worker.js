// The worker of the static page: answers the requests of the page, one after the other.

import { load } from "./module.js";

const loading = (async () => {
  const response = await fetch("watershed.wasm");
  if (!response.ok) {
    throw new Error(`watershed.wasm: ${response.status}`);
  }
  return load(await response.arrayBuffer(), crypto.getRandomValues(new Uint8Array(32)));
})();

onmessage = async ({ data: { number, request } }) => {
  try {
    const call = await loading;
    postMessage({ number, answer: call(request) });
  } catch (error) {
    postMessage({ failure: `the module has failed: ${error.message}` });
  }
};
