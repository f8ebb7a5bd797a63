import { textsOf } from "./columns/typed-arrays.ts"

/**
 * A waterfall as the page receives it: a column for each property of its rows, in display order, and services and names once.
 * React and `columns/waterfall-bytes.ts` send the columns as bytes, 36 for each span. The page queries attributes and links of a
 * span when it opens the span.
 */
export interface WaterfallColumns {
  /** Earliest start, nanoseconds since the epoch. */
  readonly startTimeUnixNano: string
  /** Without web vitals that settled later. */
  readonly durationNano: string
  /** Rows of the whole waterfall. The columns may have only the first of them. */
  readonly spanCount: number
  /** Stored spans of the trace; more than `shown` when a screen cannot show them all. */
  readonly stored: number
  /** Spans that this waterfall shows: rows, and web vitals, which are marks on the time axis. */
  readonly shown: number
  readonly errorCount: number
  readonly services: readonly string[]
  /** Spans of each service, with its web vitals. */
  readonly serviceCounts: readonly number[]
  readonly names: readonly string[]
  /** Two words for each span: see `SpanIds`. */
  readonly ids: Uint32Array
  /** Spans are in display order, so the depths define the tree. */
  readonly depths: Int32Array
  readonly serviceIndexes: Uint32Array
  readonly nameIndexes: Uint32Array
  /** Nanoseconds from the earliest start. */
  readonly offsets: Float64Array
  readonly durations: Float64Array
  /** Indexes into `SPAN_KINDS`. */
  readonly kinds: Uint8Array
  /** The sum of each span's `MARK`s. */
  readonly marks: Uint8Array
  /** Span events: their rows in ascending order, their offsets, and 1 for an exception. */
  readonly eventRows: Int32Array
  readonly eventOffsets: Float64Array
  readonly eventKinds: Uint8Array
  /** The first ids of parents that are missing. */
  readonly missingParents: readonly string[]
  readonly missingParentCount: number
  readonly ringCount: number
  /** Spans that start before their parent; see `skewedSpans`. */
  readonly skewedCount: number
  /** Page loads, with the moment of their first byte from the earliest start. `null` where it is not known. */
  readonly pages: readonly { readonly spanId: string; readonly firstByteNano: number | null }[]
}

/** Marks of a row, as bits. */
export const MARK = { error: 1, parentMissing: 2, ringCut: 4, exception: 8, skewed: 16, cached: 32 } as const

/** The first rows of a waterfall, which come with the page. The page requests the others. */
export function firstRows(waterfall: WaterfallColumns, limit: number): WaterfallColumns {
  if (waterfall.depths.length <= limit) return waterfall
  // Only the names of these rows: a large trace can have a different name for each span.
  const names = textsOf(Array.from(waterfall.nameIndexes.slice(0, limit), (index) => waterfall.names[index] ?? ""))
  return {
    ...waterfall,
    names: names.values,
    nameIndexes: names.indexes,
    ids: waterfall.ids.slice(0, 2 * limit),
    depths: waterfall.depths.slice(0, limit),
    serviceIndexes: waterfall.serviceIndexes.slice(0, limit),
    offsets: waterfall.offsets.slice(0, limit),
    durations: waterfall.durations.slice(0, limit),
    kinds: waterfall.kinds.slice(0, limit),
    marks: waterfall.marks.slice(0, limit),
    eventRows: new Int32Array(),
    eventOffsets: new Float64Array(),
    eventKinds: new Uint8Array(),
  }
}
