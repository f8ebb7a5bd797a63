import type { SpanKind } from "../../../protocol/records/span.ts"

/**
 * What a waterfall is laid out from: of each span its place, its name and whether something went wrong, and nothing else. One
 * column a property, since 200,000 small objects cost more than all that is done with them. By start time; of two that
 * start together the longer first, since it may hold the other.
 */
export interface TraceOutline {
  /** Nanoseconds since the epoch of the earliest start. */
  readonly startTime: bigint
  readonly ids: readonly string[]
  /** Empty where the span names no parent. */
  readonly parentIds: readonly string[]
  readonly names: readonly string[]
  readonly services: readonly string[]
  readonly kinds: readonly SpanKind[]
  /** Nanoseconds from `startTime`. Exact up to 2^53: a trace of 104 days. */
  readonly offsets: Float64Array
  readonly durations: Float64Array
  /** 1 where the status is an error. */
  readonly errors: Uint8Array
  readonly events: readonly OutlineEvent[]
  /** Spans that are stored. More than there are here means that these are the earliest of them. */
  readonly stored: number
}

/** Something that happened at a moment of a span. */
export interface OutlineEvent {
  /** Index of its span. */
  readonly span: number
  /** Nanoseconds from the start of the trace; negative when it is earlier. */
  readonly offset: number
  readonly isException: boolean
}

/** Name of the root span; where the root has not arrived, of the earliest. As the trace list names the trace. */
export function traceName({ names, parentIds }: TraceOutline): string {
  return names[Math.max(0, parentIds.indexOf(""))] ?? ""
}
