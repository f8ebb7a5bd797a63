import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import { publicUrl, recordedUrl } from "../requests/outgoing-request.ts"
import { noteResponse } from "../requests/request-span.ts"
import type { CurrentRoot } from "../roots/current-root.ts"

/** Made by other means (requests), or sent ahead of need or behind the visitor's back. */
const NOT_WAITED_FOR: ReadonlySet<string> = new Set(["fetch", "xmlhttprequest", "beacon", "early-hints", "ping"])

/**
 * A child span of each resource that arrives while a root is open: scripts, styles, images, fonts. A repeated address
 * counts once.
 */
export function recordResource(
  tracer: Tracer,
  current: CurrentRoot,
  entry: PerformanceResourceTiming,
  queryParameters: readonly string[],
): void {
  const root = current.open
  const startTime = epochTime(entry.startTime)
  if (root === undefined || startTime < root.startedAt || NOT_WAITED_FOR.has(entry.initiatorType)) return
  if (!URL.canParse(entry.name)) return
  const url = new URL(entry.name)
  if (!url.protocol.startsWith("http") || isPreload(entry, url) || !root.isFirst(publicUrl(url))) return
  const attributes = {
    ...recordedUrl(url, queryParameters),
    "sentry.op": `resource.${entry.initiatorType || "other"}`,
    "sentry.origin": "auto.resource.pagespan",
    "http.response.size": entry.transferSize,
    "http.response.body.size": entry.encodedBodySize,
    "http.response.body.decoded_size": entry.decodedBodySize,
  }
  const name = url.origin === window.location.origin ? url.pathname : url.host
  const span = tracer.startSpan(name, { startTime, attributes }, current.context)
  noteResponse(span, entry.responseStatus)
  span.end(epochTime(entry.responseEnd))
}

/** A script that a `<link>` asks for after the document has loaded is for a page that nobody has asked for yet. */
function isPreload({ initiatorType, startTime }: PerformanceResourceTiming, { pathname }: URL): boolean {
  if (initiatorType !== "link" || pathname.endsWith(".css")) return false
  const [document] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
  return document !== undefined && document.loadEventStart > 0 && startTime > document.loadEventStart
}
