import { safely } from "../../../protocol/safely.ts"
import { followSystemClock, pageClock } from "../clock.ts"
import type { ServerTrace } from "../document.ts"
import type { PageRoots } from "./page-roots.ts"
import { pagesRouterCommit } from "./pages-router-commit.ts"

/** Begins the root of this document. A prerendered document begins once it is shown: no visitor waits for it before. */
export function beginPageload(roots: PageRoots, server: ServerTrace | undefined, signal: AbortSignal): void {
  const begin = () => {
    roots.beginPageload(server)
    if (typeof __PAGESPAN_PAGES_ROUTER__ !== "undefined" && __PAGESPAN_PAGES_ROUTER__) commitPagesRoute(roots)
    // The browser sets `loadEventEnd` after the listeners of this event.
    const loaded = () => void pageClock.setTimeout(() => roots.documentLoaded(), 0)
    if (document.readyState === "complete") loaded()
    else window.addEventListener("load", loaded, { signal })
  }
  if (!(document as { prerendering?: boolean }).prerendering) return begin()
  const activated = () => {
    // The machine may have slept since the start.
    followSystemClock()
    begin()
  }
  document.addEventListener("prerenderingchange", () => safely(activated), { once: true, signal })
}

/**
 * Names the root of a page of the Pages Router by what Next writes into the document. What listens to that router is a chunk of its
 * own, which a slow network brings after the end of the root.
 */
function commitPagesRoute(roots: PageRoots): void {
  // Next reads it right after `instrumentation-client.ts` has run.
  pageClock.setTimeout(() => {
    const { page } = (window as { __NEXT_DATA__?: { readonly page?: string } }).__NEXT_DATA__ ?? {}
    if (page !== undefined && roots.isUnderWay) roots.committed(pagesRouterCommit(page), 0)
  }, 0)
}
