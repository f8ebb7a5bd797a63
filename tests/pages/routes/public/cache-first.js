/** A service worker that stores each document, made so long that its scripts run before it has arrived. */

const REST = "<!--" + " ".repeat(16 * 1024 * 1024) + "-->"

addEventListener("install", () => skipWaiting())
addEventListener("activate", (event) => event.waitUntil(clients.claim()))
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(cacheFirst(event.request))
})

async function cacheFirst(request) {
  const cache = await caches.open("documents")
  const stored = await cache.match(request.url)
  if (stored) return stored
  const response = await fetch(request)
  const longer = new Response((await response.text()) + REST, response)
  await cache.put(request.url, longer.clone())
  return longer
}
