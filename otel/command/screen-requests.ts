/** What else takes a body beside the doors: the tunnel, and what answers below `/api/`. Screens are only read. */
const MAY_WRITE = /^\/(?:monitoring$|api\/)/
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"])

const HEADERS = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }

/**
 * The answer to a request that no screen could be meant by; `undefined` where it may pass. To a path that is no UTF-8
 * Next would answer 500, as if something of ours had failed. A body that is sent to a screen would be looked at for a
 * Server Action, of which there are none: it is not read at all.
 */
export function refuseForScreens(path: string, method = "GET"): Response | undefined {
  if (!isReadable(path)) return plainPage(400, "This address cannot be read", "It may have been cut or mistyped.")
  if (READING.has(method) || MAY_WRITE.test(path)) return undefined
  return plainPage(405, "This page can only be read", "Only GET and HEAD are served here.", { allow: "GET, HEAD" })
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function plainPage(status: number, title: string, text: string, headers: Readonly<Record<string, string>> = {}) {
  const page = `<!doctype html><html lang="en"><title>${title} · Pagespan</title><h1>${title}</h1><p>${text} <a href="/">What is happening now</a></p></html>`
  return new Response(page, { status, headers: { ...HEADERS, ...headers } })
}
