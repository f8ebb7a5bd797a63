/**
 * A waterfall as it crosses to the page: a few long strings in place of 200,000 objects, since each value of a nested
 * payload is visited on its way through React's serialisation. Services and names are sent once, times are offsets and
 * durations: about 45 bytes a span. Attributes, events and links stay behind; the page asks for those of one span when it
 * is opened.
 */
export interface WaterfallJson {
  /** Earliest start, nanoseconds since the epoch. */
  readonly startTimeUnixNano: string
  readonly durationNano: string
  /** Rows of the whole waterfall. The columns may hold the first of them only: `rowsHere`. */
  readonly spanCount: number
  readonly rowsHere: number
  /** Spans of the trace that are stored: more than are told here when there are too many for a screen. */
  readonly stored: number
  /** Spans that are told here: those with a row, and web vitals, which are marks on the time axis. */
  readonly told: number
  readonly errorCount: number
  readonly services: readonly string[]
  /** Spans of each service. */
  readonly serviceCounts: readonly number[]
  readonly names: readonly string[]
  /** 16 hexadecimal digits a span. */
  readonly ids: string
  /** Comma-separated numbers, one a span: all spans follow in display order, so that depths alone give the tree. */
  readonly depths: string
  readonly serviceIndexes: string
  readonly nameIndexes: string
  /** Nanoseconds from the earliest start. */
  readonly offsets: string
  readonly durations: string
  /** One digit a span: index into `SPAN_KINDS`. */
  readonly kinds: string
  /** One digit a span, of base `MARK_RADIX`: the sum of its `MARK`s. */
  readonly marks: string
  /** Events on the bars: rows ascending, the offset of each, and a digit that is 1 for an exception. */
  readonly eventRows: string
  readonly eventOffsets: string
  readonly eventKinds: string
  /** The first of the ids that spans name as their parent and that are not among them. */
  readonly missingParents: readonly string[]
  readonly missingParentCount: number
  readonly ringCount: number
  /** Spans that start before their parent, by the rule in ./clock-skew.ts. */
  readonly skewedCount: number
}

/** What a row may be marked with. */
export const MARK = { error: 1, parentMissing: 2, ringCut: 4, exception: 8, skewed: 16 } as const
export const MARK_RADIX = 32

/** The first rows of a waterfall: what a page is sent at once, while the others follow by themselves. */
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

/** A large trace can have a name a span: only those of the rows go along. */
function namesOf(names: readonly string[], indexes: string): Pick<WaterfallJson, "names" | "nameIndexes"> {
  const used = new Numbered()
  const nameIndexes = indexes.split(",").map((index) => used.indexOf(names[Number(index)] ?? ""))
  return { names: used.values, nameIndexes: nameIndexes.join(",") }
}

/** Numbers distinct texts in the order in which they are first met. */
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
