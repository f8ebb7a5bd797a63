import type { Links } from "./span-links.ts"
import type { TraceOutline } from "./trace-outline.ts"

/**
 * The rule by which clocks are said to differ: a span that starts before its parent. Nothing can cause what comes before
 * it, so the clocks of their hosts must. A pageload is exempt: it begins in the browser, before its request reaches the
 * server whose span is its parent. Bars stay where the senders' clocks put them; the difference is told beside them.
 */
export function skewedSpans(outline: TraceOutline, { parent }: Links, pageloads: ReadonlySet<string>): Set<number> {
  const skewed = new Set<number>()
  parent.forEach((above, span) => {
    if (above === -1 || pageloads.has(outline.ids[span] ?? "")) return
    if ((outline.offsets[span] ?? 0) < (outline.offsets[above] ?? 0)) skewed.add(span)
  })
  return skewed
}

/** Ids of the spans that start before their parent, pageloads among them. */
export function earlySpans({ ids, parentIds, offsets }: TraceOutline): string[] {
  const starts = new Map(ids.map((id, span) => [id, offsets[span] ?? 0]))
  return ids.filter((_, span) => (offsets[span] ?? 0) < (starts.get(parentIds[span] ?? "") ?? -Infinity))
}

interface Interval {
  /** Nanoseconds. */
  readonly offset: number
  readonly duration: number
}

/**
 * By how much the clocks differ, in nanoseconds. `least` is certain. `likely` is what it takes to have the child inside its
 * parent, with the way there as long as the way back: Jaeger's and Zipkin's rule. A child that is longer than its parent
 * is moved to start with it.
 */
export function clockSkew(child: Interval, parent: Interval): { readonly least: number; readonly likely: number } {
  const least = parent.offset - child.offset
  const room = parent.duration - child.duration
  return { least, likely: room > 0 ? least + room / 2 : least }
}
