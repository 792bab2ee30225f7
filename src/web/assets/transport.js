// The connection to the application: requests over HTTP.

import { read } from "./store.js";

export async function connect() {
  return {
    isServer: true,
    async call(request, signal) {
      let response;
      try {
        response = await fetch("api", {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Host-Key": read("host-key", "") },
          body: JSON.stringify(request),
          signal,
          // The request that stops a job outlives the page.
          keepalive: request.stop === true,
        });
      } catch {
        throw new Error("the server does not answer; is `watershed serve` still running?");
      }
      if (!response.ok) {
        throw new Error(`the server answers ${response.status}: ${(await response.text()).trim()}`);
      }
      return response.json();
    },
  };
}
