import type { SpanKind } from "../../../protocol/records/span.ts"

/**
 * What the waterfall layout needs of each span: its place, its name and whether it failed. One column for each property,
 * since 200,000 small objects cost more than the layout itself. In order of start time; of two spans that start together,
 * the longer first, since it may contain the other.
 */
export interface TraceOutline {
  /** Nanoseconds since the epoch of the earliest start. */
  readonly startTime: bigint
  readonly ids: readonly string[]
  /** Empty for a root span. */
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
  /** Stored spans of the trace. When there are more than the outline has, the outline has the earliest. */
  readonly stored: number
}

/** A span event. */
export interface OutlineEvent {
  /** Index of its span. */
  readonly span: number
  /** Nanoseconds from the start of the trace; negative when the event is earlier. */
  readonly offset: number
  readonly isException: boolean
}

/** Name of the root span; while the root is missing, of the earliest span. The trace list uses the same rule. */
export function traceName({ names, parentIds }: TraceOutline): string {
  return names[Math.max(0, parentIds.indexOf(""))] ?? ""
}

/**
 * Spans that report a web vital are named `browser.web_vital.lcp` and so on. Pagespan's reach over the time that the vital
 * measures, those of other SDKs stand at its moment.
 */
export const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVital(name: string): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}
