import type { SpanContext } from "@opentelemetry/api"
import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
import { safely } from "../../protocol/safely.ts"
import { parseBaggage, type SamplingContext } from "../sentry/sampling-context.ts"
import { isValidContext } from "../valid-context.ts"

/** The trace of the request that rendered this document. */
export interface ServerTrace {
  readonly parent: SpanContext
  readonly samplingContext: SamplingContext | undefined
}

export interface DocumentTiming extends PerformanceNavigationTiming {
  /** When a prerendered document was shown; 0 for any other. */
  readonly activationStart?: number
  /** Where a document came from, if not from the network: `cache`, `cache-storage`. Chromium 109 and later. */
  readonly deliveryType?: string
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The browser's timing of this document. */
export function documentTiming(): DocumentTiming | undefined {
  return performance.getEntriesByType("navigation")[0] as DocumentTiming | undefined
}

/** The settings in this document. `undefined` where it was rendered at build time, or something rewrote the element: then the tunnel answers with them. */
export function settingsInDocument(): PageSettings | undefined {
  return safely(() => JSON.parse(metaContent(PAGE_SETTINGS_KEY) ?? "") as PageSettings)
}

/**
 * The trace that the pageload continues. A document from a cache names the trace of an earlier visit, perhaps of another
 * visitor, and is ignored.
 */
export function readServerTrace(): ServerTrace | undefined {
  const { type, transferSize, responseEnd, deliveryType } = documentTiming() ?? {}
  // `transferSize` is 0 for a document from the HTTP cache or a service worker's, but also until the document has arrived
  // (`responseEnd`), unless the browser knows `deliveryType`. A restored document may be replayed from the cache too.
  if (type === "back_forward" || (transferSize === 0 && (responseEnd || deliveryType))) return undefined
  const [, traceId = "", spanId = "", flags = "0"] = TRACE_PARENT.exec(metaContent("traceparent") ?? "") ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isValidContext(parent) ? { parent, samplingContext: parseBaggage(metaContent("baggage")) } : undefined
}

function metaContent(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
