import { safely } from "../../safely.ts"
import { epochTime, pageClock } from "../clock.ts"
import type { ServerTrace } from "../document.ts"
import type { PageRoots } from "./page-roots.ts"

interface DocumentTiming extends PerformanceNavigationTiming {
  /** 0 unless the document was prerendered and then shown. */
  readonly activationStart?: number
}

/** Begins the root of this document, or once it is shown when it is being prerendered: before, nobody has asked for it. */
export function beginPageload(roots: PageRoots, server: ServerTrace | undefined, signal: AbortSignal): void {
  if (!(document as { prerendering?: boolean }).prerendering) return begin(roots, server, signal)
  document.addEventListener("prerenderingchange", () => safely(() => begin(roots, server, signal)), {
    once: true,
    signal,
  })
}

export function documentTiming(): DocumentTiming | undefined {
  return performance.getEntriesByType("navigation")[0] as DocumentTiming | undefined
}

function begin(roots: PageRoots, server: ServerTrace | undefined, signal: AbortSignal): void {
  const timing = documentTiming()
  roots.beginPageload({
    path: window.location.pathname,
    startedAt: epochTime(timing?.activationStart ?? 0),
    server,
    statusCode: timing?.responseStatus,
  })
  const loaded = () => {
    // `loadEventEnd` is written after this event's listeners have run.
    pageClock.setTimeout(() => roots.documentLoaded(epochTime(documentTiming()?.loadEventEnd ?? 0)), 0)
  }
  if (document.readyState === "complete") loaded()
  else window.addEventListener("load", loaded, { once: true, signal })
}
