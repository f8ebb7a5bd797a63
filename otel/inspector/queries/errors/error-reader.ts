import type { ErrorEvent } from "../../../protocol/records/error.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../list/time-range.ts"
import type { IssueDetail, IssueList, IssueListQuery } from "./issue.ts"

/** As much of a span as its place in a trace takes. */
export interface PathSpan {
  readonly spanId: string
  readonly name: string
  readonly service: string
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly failed: boolean
}

/** What screens and the read API ask of the store about errors and logs. Rejects with `StoreUnavailable` while it is away. */
export interface ErrorReader {
  /** Issues, what was seen last first. */
  listIssues(query: IssueListQuery): Promise<IssueList>
  /** The issue with its newest events; `undefined` when it is unknown. */
  readIssue(issueId: string): Promise<IssueDetail | undefined>
  /** Events of each issue at each step, by issue id; an entry for every step. Issues without an event are left out. */
  countEvents(issueIds: readonly string[], steps: Steps): Promise<ReadonlyMap<string, readonly number[]>>
  /** The errors that were told of the trace by time with all that they told, at most 50. */
  readErrorsOfTrace(traceId: TraceId): Promise<readonly ErrorEvent[]>
  /** The span and those that it ran in, the outermost first; empty where the span is unknown. */
  readSpanPath(traceId: TraceId, spanId: SpanId): Promise<readonly PathSpan[]>
  /** The log records of the trace by time; empty when there are none. */
  readTraceLogs(traceId: TraceId): Promise<readonly LogRecord[]>
}
