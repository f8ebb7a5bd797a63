import type { Nanoseconds } from "../../../protocol/records/time.ts"

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

/** One start of an app, as its resource tells it. Empty text where the resource does not say. */
export interface AppStart {
  readonly service: string
  /** `service.instance.id`: another one at each start. */
  readonly instance: string
  /** `pagespan.run`: a name that was given from outside, such as a branch or a test. */
  readonly run: string
  readonly version: string
  readonly first: Nanoseconds
  readonly last: Nanoseconds
  readonly traces: number
}

/** Something that stored spans have, to be offered while a filter is written. */
export interface KnownValue {
  readonly value: string
  /** Spans that have it, of those that were looked at. */
  readonly spans: number
}
