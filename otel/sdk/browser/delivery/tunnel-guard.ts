import type { Destination } from "./destination.ts"

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` that notices when something else answers in the tunnel's place, such as a proxy that redirects to a locale. From
 * then on this document sends nothing there, so that it does not fill the console: envelopes go to the DSN if the page knows
 * it, and what has no other destination fails, which its sender counts as dropped.
 */
export function guardedFetch(next: Fetch, destination: Destination): Fetch {
  let misrouted: unknown
  return async (input, init) => {
    if (input === destination.tunnel) {
      // Following a redirect would render a page.
      const response = await next(input, { ...init, redirect: "manual" })
      if (!isFromElsewhere(response)) return response
      misrouted = input
      destination.tunnel = undefined
    } else if (input !== misrouted) return next(input, init)
    // An envelope is a string.
    const url = typeof init?.body === "string" ? destination.envelopeUrl : destination.otlpUrl
    return url ? next(url, init) : Response.error()
  }
}

/** Whether a redirect, a page, or a page that does not exist has answered. The tunnel is neither. */
export function isFromElsewhere({ type, status, ok, headers }: Response): boolean {
  // A proxy's page about an outage has a status of 5xx, and passes.
  const isPage = ok && headers.get("content-type")?.startsWith("text/html")
  return isPage || type === "opaqueredirect" || status === 404 || status === 405
}
