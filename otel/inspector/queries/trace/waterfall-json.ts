/**
 * A waterfall as the page receives it: a few long strings in place of 200,000 objects, since React's serialization visits
 * every value of a nested payload. Services and names are sent once, times are offsets and durations: about 45 bytes for
 * each span. The page queries attributes, events and links of a span when it opens the span.
 */
export interface WaterfallJson {
  /** Earliest start, nanoseconds since the epoch. */
  readonly startTimeUnixNano: string
  /** Without web vitals that settled later. */
  readonly durationNano: string
  /** Rows of the whole waterfall. The columns may have only the first `rowsHere` of them. */
  readonly spanCount: number
  readonly rowsHere: number
  /** Stored spans of the trace; more than `shown` when a screen cannot show them all. */
  readonly stored: number
  /** Spans that this waterfall shows: rows, and web vitals, which are marks on the time axis. */
  readonly shown: number
  readonly errorCount: number
  readonly services: readonly string[]
  /** Spans of each service, with its web vitals. */
  readonly serviceCounts: readonly number[]
  readonly names: readonly string[]
  /** 16 hexadecimal digits for each span. */
  readonly ids: string
  /** Comma-separated, one number for each span. Spans are in display order, so the depths define the tree. */
  readonly depths: string
  readonly serviceIndexes: string
  readonly nameIndexes: string
  /** Nanoseconds from the earliest start. */
  readonly offsets: string
  readonly durations: string
  /** One digit for each span: index into `SPAN_KINDS`. */
  readonly kinds: string
  /** One digit for each span, in base `MARK_RADIX`: the sum of its `MARK`s. */
  readonly marks: string
  /** Span events: their rows in ascending order, their offsets, and a digit that is 1 for an exception. */
  readonly eventRows: string
  readonly eventOffsets: string
  readonly eventKinds: string
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
export const MARK = { error: 1, parentMissing: 2, ringCut: 4, exception: 8, skewed: 16 } as const
export const MARK_RADIX = 32

/** The first rows of a waterfall, which come with the page. The page requests the others. */
export function firstRows(json: WaterfallJson, limit: number): WaterfallJson {
  if (json.rowsHere <= limit) return json
  const column = (text: string) => text.split(",", limit).join(",")
  return {
    ...json,
    rowsHere: limit,
    ids: json.ids.slice(0, limit * SPAN_ID_LENGTH),
    depths: column(json.depths),
    serviceIndexes: column(json.serviceIndexes),
    ...namesOf(json.names, column(json.nameIndexes)),
    offsets: column(json.offsets),
    durations: column(json.durations),
    kinds: json.kinds.slice(0, limit),
    marks: json.marks.slice(0, limit),
    eventRows: "",
    eventOffsets: "",
    eventKinds: "",
  }
}

export const SPAN_ID_LENGTH = 16

/** Only the names of the given rows: a large trace can have a different name for each span. */
function namesOf(names: readonly string[], indexes: string): Pick<WaterfallJson, "names" | "nameIndexes"> {
  const used = new Numbered()
  const nameIndexes = indexes.split(",").map((index) => used.indexOf(names[Number(index)] ?? ""))
  return { names: used.values, nameIndexes: nameIndexes.join(",") }
}

/** Numbers distinct texts in order of first occurrence. */
export class Numbered {
  readonly #numbers = new Map<string, number>()

  indexOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.#numbers.size)
    return this.#numbers.size - 1
  }

  get values(): string[] {
    return [...this.#numbers.keys()]
  }
}
