import type { ErrorEvent } from "./error-event.ts"
import type { TraceId } from "./ids.ts"
import type { SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** Errors that have the same fingerprint, as one line of the error list. */
export interface Issue {
  readonly issueId: string
  /** Of its newest event. */
  readonly title: string
  /** Distinct events within the retention. */
  readonly count: number
  readonly firstSeen: Nanoseconds
  readonly lastSeen: Nanoseconds
  /** Trace of the newest event that has one. */
  readonly lastTraceId: TraceId | undefined
  /** Of its newest event. */
  readonly level: ErrorEvent["level"]
  readonly transaction: string
  /** Distinct services, by name. */
  readonly services: readonly string[]
  readonly sources: readonly SpanSource[]
}

/** A page of the error list: what was seen last comes first. */
export interface IssueList {
  readonly issues: readonly Issue[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

export interface IssueListQuery {
  /** At most this many issues. */
  readonly limit: number
  /** Cursor from a previous answer's `next`. */
  readonly after?: string | undefined
  /** Only events of this service. */
  readonly service?: string | undefined
  /** Only issues seen at or after this time. */
  readonly since?: Nanoseconds | undefined
}

/** An issue with its newest events, newest first. */
export interface IssueDetail extends Issue {
  readonly events: readonly ErrorEvent[]
}
