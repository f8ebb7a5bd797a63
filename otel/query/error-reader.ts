import type { TraceId } from "../model/ids.ts"
import type { IssueDetail, IssueList, IssueListQuery } from "../model/issue.ts"
import type { LogRecord } from "../model/log-record.ts"

/** What screens and the read API ask of the store about errors and logs. Rejects with `StoreUnavailable` while it is away. */
export interface ErrorReader {
  /** Issues, what was seen last first. */
  listIssues(query: IssueListQuery): Promise<IssueList>
  /** The issue with its newest events; `undefined` when it is unknown. */
  readIssue(issueId: string): Promise<IssueDetail | undefined>
  /** The log records of the trace by time; empty when there are none. */
  readTraceLogs(traceId: TraceId): Promise<readonly LogRecord[]>
}
