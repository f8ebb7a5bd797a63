import { indexesWhere } from "./columns/typed-arrays.ts"
import type { Links } from "./span-links.ts"
import type { TraceOutline } from "./trace-outline.ts"

/**
 * Spans that start before their parent. An effect cannot precede its cause, so the clocks of the two hosts differ. A page
 * load is exempt: it begins in the browser, before its request reaches the server whose span is its parent. Bars stay where
 * the senders' clocks put them; the screen shows the difference beside them.
 */
export function skewedSpans(outline: TraceOutline, links: Links, pageloads: ReadonlySet<string>): Set<number> {
  const early = Array.from(earlySpans(outline, links))
  return new Set(early.filter((span) => !pageloads.has(outline.ids.text(span))))
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
