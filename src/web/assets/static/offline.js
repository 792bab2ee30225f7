// Keeps the page and its module in the browser, so that an installed page works without a network. `.ci/site` writes the list of files.

const VERSION = "{VERSION}";
const FILES = ["{FILES}"];

self.addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(VERSION);
    await cache.addAll(FILES);
    await self.skipWaiting();
  };
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const answer = async () => {
    const cache = await caches.open(VERSION);
    // The address of a game or a lesson is that of the page.
    return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  if (event.request.method === "GET") {
    event.respondWith(answer());
  }
});
