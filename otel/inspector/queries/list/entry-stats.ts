import type { Nanoseconds } from "../../../protocol/records/time.ts"

/**
 * Durations and failures of a route's entries. An entry is a span with a route that begins something: a server's request, a
 * page load, a navigation, a consumed message, or a root of another kind.
 */
export interface EntryStats {
  readonly route: string
  /** `pageload`, `navigation`, or the span's kind. */
  readonly entry: string
  readonly count: number
  readonly failed: number
  readonly p50: Nanoseconds
  readonly p95: Nanoseconds
  readonly slowest: Nanoseconds
  readonly slowestTraceId: string
  /** Entries at each time step, where steps were given. */
  readonly bars: readonly number[]
}

export interface ServiceActivity {
  readonly service: string
  readonly traces: number
  readonly failed: number
  /** Traces at each time step, and those of them that failed. */
  readonly bars: readonly number[]
  readonly failedBars: readonly number[]
}

/** One start of an app, by its resource attributes. Texts are empty where the resource lacks the attribute. */
export interface AppStart {
  readonly service: string
  /** `service.instance.id`, which differs at each start. */
  readonly instance: string
  /** `pagespan.run`: a name given from outside, such as a branch or a test. */
  readonly run: string
  readonly version: string
  readonly first: Nanoseconds
  readonly last: Nanoseconds
  readonly traces: number
}

/** A value of stored spans, suggested while the user writes a filter. */
export interface KnownValue {
  readonly value: string
  /** Spans that have it, of those that were scanned. */
  readonly spans: number
}
