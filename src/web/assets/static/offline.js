// Keeps the page and its module in the browser, so that an installed page works without a network. `.ci/site` writes the list of files.

const PREFIX = "watershed-";
const VERSION = `${PREFIX}{VERSION}`;
const FILES = ["{FILES}"];

self.addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(VERSION);
    // Not from the cache of the browser, which may hold files of the version before.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    await self.skipWaiting();
  };
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    const isOld = (name) => name.startsWith(PREFIX) && name !== VERSION;
    await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const answer = async () => {
    const cache = await caches.open(VERSION);
    // The address of a game or a lesson is that of the page, and `index.html` too.
    const isPage = event.request.mode === "navigate" && !/\/balance\.html$/.test(new URL(event.request.url).pathname);
    return (await cache.match(isPage ? "./" : event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  if (event.request.method === "GET") {
    event.respondWith(answer());
  }
});
