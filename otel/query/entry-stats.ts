import type { Nanoseconds } from "../model/time.ts"

/**
 * How the entries of a route did. An entry is a span with a route that begins something: a server's request, a page
 * load, a navigation, a message taken, or a root of another kind.
 */
export interface EntryStats {
  readonly route: string
  /** `pageload`, `navigation`, or the kind of the span. */
  readonly entry: string
  readonly count: number
  readonly failed: number
  readonly p50: Nanoseconds
  readonly p95: Nanoseconds
  readonly slowest: Nanoseconds
  readonly slowestTraceId: string
  /** Entries by step of time, where steps were given. */
  readonly bars: readonly number[]
}

export interface ServiceActivity {
  readonly service: string
  readonly traces: number
  readonly failed: number
  readonly bars: readonly number[]
}
