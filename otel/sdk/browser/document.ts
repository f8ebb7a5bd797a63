import { isSpanContextValid, type SpanContext } from "@opentelemetry/api"
import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
import { parseBaggage, type SamplingContext } from "../sentry/sampling-context.ts"

/** The settings in this document, where the server rendered it for this request. */
export function settingsInDocument(document: Document): PageSettings | undefined {
  const text = metaContent(document, PAGE_SETTINGS_KEY)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as PageSettings
  } catch {
    // Something between server and page rewrote the element: the tunnel can still be asked.
    return undefined
  }
}

/** The request that rendered a document. */
export interface ServerTrace {
  readonly parent: SpanContext
  readonly samplingContext: SamplingContext | undefined
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * The trace of the request that rendered this document, which the pageload continues. A document that came from a
 * cache names the trace of an earlier visit, perhaps a stranger's, and is not believed.
 */
export function readServerTrace(): ServerTrace | undefined {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
  if (cameFromCache(entry)) return undefined
  const [, traceId = "", spanId = "", flags = "0"] = TRACE_PARENT.exec(metaContent(document, "traceparent") ?? "") ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  if (!isSpanContextValid(parent)) return undefined
  return { parent, samplingContext: parseBaggage(metaContent(document, "baggage")) }
}

export function metaContent(document: Document, name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}

function cameFromCache(entry: PerformanceNavigationTiming | undefined): boolean {
  if (entry === undefined) return false
  // `transferSize` is 0 for a document from the HTTP cache, but also until the document has arrived (`responseEnd`).
  // A restored document may be replayed from the cache too.
  return entry.type === "back_forward" || (entry.transferSize === 0 && entry.responseEnd > 0)
}
