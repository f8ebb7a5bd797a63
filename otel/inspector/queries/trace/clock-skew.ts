import { SPAN_KINDS } from "../../../protocol/records/span.ts"
import { indexesWhere } from "./columns/typed-arrays.ts"
import type { Links } from "./span-links.ts"
import type { TraceOutline } from "./trace-outline.ts"

/**
 * Spans that start before their parent. An effect cannot precede its cause, so the clocks of the two hosts differ. Bars stay
 * where the senders' clocks put them; the screen shows the difference beside them. Two kinds of spans are exempt:
 * - A page load begins in the browser, before its request reaches the server whose span is its parent.
 * - A span of its parent's process has the same clock. An SDK gave it an earlier start, as Next.js 15 does for
 *   `NextNodeServer.clientComponentLoading`.
 */
export function skewedSpans(outline: TraceOutline, links: Links, pageloads: ReadonlySet<string>): Set<number> {
  const early = Array.from(earlySpans(outline, links))
  return new Set(
    early.filter(
      (span) => !pageloads.has(outline.ids.text(span)) && !isOfOneProcess(outline, span, links.parent[span] ?? -1),
    ),
  )
}

/**
 * OpenTelemetry's kinds say which spans have their parent in another process: `server` and `consumer`. A span without a kind
 * may have it there too.
 */
const LOCAL_KINDS: ReadonlySet<number> = new Set(
  (["internal", "client", "producer"] as const).map((kind) => SPAN_KINDS.indexOf(kind)),
)

function isOfOneProcess({ kinds, services }: TraceOutline, span: number, parent: number): boolean {
  return LOCAL_KINDS.has(kinds[span] ?? 0) && services.indexes[span] === services.indexes[parent]
}

/** Indexes of the spans that start before their parent, including page loads. */
export function earlySpans({ offsets }: TraceOutline, { parent }: Links): Int32Array {
  return indexesWhere(offsets.length, (span) => (offsets[span] ?? 0) < (offsets[parent[span] ?? -1] ?? -Infinity))
}

interface Interval {
  /** Nanoseconds. */
  readonly offset: number
  readonly duration: number
}

/**
 * How far the clocks differ, in nanoseconds. `least` is certain. `likely` centers the child in its parent, which assumes
 * that the request and the response take equally long: the rule of Jaeger and Zipkin. A child that is longer than its
 * parent starts with it.
 */
export function clockSkew(child: Interval, parent: Interval): { readonly least: number; readonly likely: number } {
  const least = parent.offset - child.offset
  const room = parent.duration - child.duration
  return { least, likely: room > 0 ? least + room / 2 : least }
}
