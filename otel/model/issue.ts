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
  /** Of its newest event that said so; `undefined` where none did. */
  readonly handled: boolean | undefined
  /** Distinct users and sessions that it met, of the events that named one. */
  readonly users: number
  readonly sessions: number
  /** Distinct releases and environments that were named, by name. */
  readonly releases: readonly string[]
  readonly environments: readonly string[]
  /** Distinct services, by name. */
  readonly services: readonly string[]
  readonly sources: readonly SpanSource[]
}

/** A page of the error list: what was seen last comes first, unless another order was asked for. */
export interface IssueList {
  readonly issues: readonly Issue[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** What a page of the error list is asked for; the largest or latest comes first. */
export const ISSUE_ORDERS = ["last", "first", "count", "users"] as const
export type IssueOrder = (typeof ISSUE_ORDERS)[number]

export interface IssueListQuery {
  /** At most this many issues. */
  readonly limit: number
  /** Cursor from a previous answer's `next`, of the same query. */
  readonly after?: string | undefined
  /** Only events of this service. */
  readonly service?: string | undefined
  /** Not events of these services. */
  readonly hidden?: readonly string[] | undefined
  /** Only issues seen at or after this time. */
  readonly since?: Nanoseconds | undefined
  /** Only issues with an event of this level. */
  readonly level?: ErrorEvent["level"] | undefined
  /** Only issues with an event that was handled, or with one that was not. */
  readonly handled?: boolean | undefined
  /** Only issues with this in an event's type, text, route or release, in either case. */
  readonly search?: string | undefined
  /** Default: what was seen last. */
  readonly order?: IssueOrder | undefined
}

/** An issue with its newest events, newest first. */
export interface IssueDetail extends Issue {
  readonly events: readonly ErrorEvent[]
}
