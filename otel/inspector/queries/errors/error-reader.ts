import type { ErrorEvent } from "../../../protocol/records/error.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../list/time-range.ts"
import type { IssueDetail, IssueList, IssueListQuery } from "./issue.ts"

/** A span on the way from the root to an error. */
export interface PathSpan {
  readonly spanId: string
  readonly name: string
  readonly service: string
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly failed: boolean
}

export interface ErrorEventQuery {
  readonly source: SpanSource
  /** At most this many events. */
  readonly limit: number
  /** Cursor: `next` of the previous page. */
  readonly after?: string | undefined
}

/** Oldest first. */
export interface ErrorEventPage {
  readonly events: readonly ErrorEvent[]
  /** Cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** The store's queries about errors. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface ErrorReader {
  /** A page of issues; by default, last seen first. */
  listIssues(query: IssueListQuery): Promise<IssueList>
  /** The issue with its newest events; `undefined` when the issue is unknown. */
  readIssue(issueId: string): Promise<IssueDetail | undefined>
  /** An event, however old: of the issue, else of the issue that had it last. `undefined` when the event is unknown. */
  findEvent(eventId: string, issueId?: string): Promise<ErrorEvent | undefined>
  /** Events of each issue at every step, by issue id. Issues without an event are left out. */
  countEvents(issueIds: readonly string[], steps: Steps): Promise<ReadonlyMap<string, readonly number[]>>
  /** The error events of a trace by time, at most 50. */
  readErrorsOfTrace(traceId: TraceId): Promise<readonly ErrorEvent[]>
  /** A page of the error events that one protocol delivered. */
  pageErrorEvents(query: ErrorEventQuery): Promise<ErrorEventPage>
  /** The span and its ancestors, outermost first; empty when the span is unknown. */
  readSpanPath(traceId: TraceId, spanId: SpanId): Promise<readonly PathSpan[]>
}
