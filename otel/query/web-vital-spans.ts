import type { TraceOutline } from "./trace-outline.ts"

/** Spans that tell a web vital by their name: `browser.web_vital.lcp`. They have no length. */
const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVitalName(name: string): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}

/** Ids of the spans that tell a vital and have nothing below them. */
export function vitalSpans({ ids, parentIds, names }: TraceOutline): string[] {
  const told = ids.filter((_, span) => isVitalName(names[span] ?? ""))
  if (told.length === 0) return told
  const parents = new Set(parentIds)
  return told.filter((id) => !parents.has(id))
}

/** The outline without the spans that stand on the time axis as marks. */
export function withoutVitals(outline: TraceOutline): TraceOutline {
  const left = new Set(vitalSpans(outline))
  if (left.size === 0) return outline
  const kept = outline.ids.flatMap((id, span) => (left.has(id) ? [] : [span]))
  const place = new Map(kept.map((span, index) => [span, index]))
  const pick = <T>(column: readonly T[]) => kept.map((span) => column[span] as T)
  return {
    ...outline,
    ids: pick(outline.ids),
    parentIds: pick(outline.parentIds),
    names: pick(outline.names),
    services: pick(outline.services),
    kinds: pick(outline.kinds),
    offsets: Float64Array.from(kept, (span) => outline.offsets[span] ?? 0),
    durations: Float64Array.from(kept, (span) => outline.durations[span] ?? 0),
    errors: Uint8Array.from(kept, (span) => outline.errors[span] ?? 0),
    events: outline.events.flatMap((event) => {
      const span = place.get(event.span)
      return span === undefined ? [] : [{ ...event, span }]
    }),
  }
}
