import { SPAN_KINDS, serviceName } from "../model/span.ts"
import type { Waterfall, WaterfallRow } from "./waterfall.ts"

/**
 * A waterfall as it crosses to the page: a few long strings in place of 100,000 objects, since each value of a nested
 * payload is visited on its way through React's serialisation. About 45 bytes a span. Attributes, events and links stay
 * behind; the page asks for those of one span when it is opened.
 */
export interface WaterfallJson {
  /** Earliest start, nanoseconds since the epoch. */
  readonly startTimeUnixNano: string
  readonly durationNano: string
  readonly spanCount: number
  readonly services: readonly string[]
  readonly names: readonly string[]
  /** 16 hexadecimal digits a span. */
  readonly ids: string
  /** Comma-separated numbers, one a span: all spans follow in display order, so that depths alone give the tree. */
  readonly depths: string
  readonly serviceIndexes: string
  readonly nameIndexes: string
  /** Nanoseconds from the earliest start, exact. */
  readonly offsets: string
  readonly durations: string
  /** One digit a span: index into `SPAN_KINDS`. */
  readonly kinds: string
  /** One hexadecimal digit a span: the sum of its `MARK`s. */
  readonly marks: string
  readonly missingParents: readonly string[]
  readonly ringCount: number
}

/** What a row may be marked with. */
export const MARK = { error: 1, parentMissing: 2, ringCut: 4, exception: 8 } as const
export const MARK_RADIX = 16

export function waterfallToJson(waterfall: Waterfall): WaterfallJson {
  const { rows, startTime } = waterfall
  const services = new Numbered()
  const names = new Numbered()
  const column = (value: (row: WaterfallRow) => unknown) => rows.map(value).join(",")
  return {
    startTimeUnixNano: String(startTime),
    durationNano: String(waterfall.duration),
    spanCount: rows.length,
    serviceIndexes: column(({ span }) => services.indexOf(serviceName(span.resource))),
    nameIndexes: column(({ span }) => names.indexOf(span.name)),
    services: services.values,
    names: names.values,
    ids: rows.map(({ span }) => span.spanId).join(""),
    depths: column(({ depth }) => depth),
    offsets: column(({ span }) => span.startTime - startTime),
    durations: column(({ span }) => (span.endTime > span.startTime ? span.endTime - span.startTime : 0n)),
    kinds: rows.map(({ span }) => SPAN_KINDS.indexOf(span.kind)).join(""),
    marks: rows.map((row) => marks(row).toString(MARK_RADIX)).join(""),
    missingParents: waterfall.missingParents,
    ringCount: waterfall.ringCount,
  }
}

function marks({ span, parentMissing, ringCut }: WaterfallRow): number {
  const exception = span.events.some(({ name }) => name === "exception")
  return (
    (span.status.code === "error" ? MARK.error : 0) +
    (parentMissing ? MARK.parentMissing : 0) +
    (ringCut ? MARK.ringCut : 0) +
    (exception ? MARK.exception : 0)
  )
}

/** Numbers distinct texts in the order in which they are first met. */
class Numbered {
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
