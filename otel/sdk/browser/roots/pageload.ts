import { safely } from "../../../protocol/safely.ts"
import { pageClock } from "../clock.ts"
import type { ServerTrace } from "../document.ts"
import type { PageRoots } from "./page-roots.ts"

/** Begins the root of this document. A prerendered document begins once it is shown: no visitor waits for it before. */
export function beginPageload(roots: PageRoots, server: ServerTrace | undefined, signal: AbortSignal): void {
  const begin = () => {
    roots.beginPageload(server)
    // The browser sets `loadEventEnd` after the listeners of this event.
    const loaded = () => void pageClock.setTimeout(() => roots.documentLoaded(), 0)
    if (document.readyState === "complete") loaded()
    else window.addEventListener("load", loaded, { once: true, signal })
  }
  if (!(document as { prerendering?: boolean }).prerendering) return begin()
  document.addEventListener("prerenderingchange", () => safely(begin), { once: true, signal })
}
