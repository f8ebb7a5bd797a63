import { DETAIL_COLUMNS, TRACE_COLUMNS } from "../rows/span-block.ts"

/**
 * Where the rows of kept runs are a second time: tables of the same columns, without an age, in a partition for each
 * run. They are copies, so a collector's table and its age stay as they are, and what a run no longer needs goes at once.
 */
interface KeptTable {
  /** The table that ages. */
  readonly table: string
  readonly kept: string
  readonly columns: readonly string[]
  /** The column whose age counts where both are read as one; `undefined` where the reader bounds it. */
  readonly time: string | undefined
}

const ERROR_COLUMNS = [
  "Time",
  "IssueId",
  "EventId",
  "TraceId",
  "SpanId",
  "Level",
  "Type",
  "Value",
  "Transaction",
  "ServiceName",
  "Environment",
  "Release",
  "Source",
  "Detail",
  "UserId",
  "SessionId",
  "Handled",
]
const LOG_COLUMNS = [
  "Timestamp",
  "LogId",
  "TraceId",
  "SpanId",
  "SeverityNumber",
  "SeverityText",
  "EventName",
  "ServiceName",
  "Body",
  "ResourceAttributes",
  "ResourceSchemaUrl",
  "ScopeName",
  "ScopeVersion",
  "ScopeAttributes",
  "LogAttributes",
  "AttributeTypes",
  "ExactAttributes",
  "Source",
]

export const RETAINED_TIMES = "pagespan_retained_trace_times"
export const RETAINED_STARTS = "pagespan_retained_starts"

export const RETAINED_TABLES: readonly KeptTable[] = [
  {
    table: "otel_traces_trace_id_ts",
    kept: RETAINED_TIMES,
    columns: ["TraceId", "Start", "End"],
    time: undefined,
  },
  { table: "otel_traces", kept: "pagespan_retained_traces", columns: TRACE_COLUMNS, time: "Timestamp" },
  { table: "pagespan_spans", kept: "pagespan_retained_spans", columns: DETAIL_COLUMNS, time: "Timestamp" },
  {
    table: "pagespan_starts",
    kept: RETAINED_STARTS,
    columns: ["Timestamp", "TraceId", "ServiceName"],
    time: "Timestamp",
  },
  { table: "pagespan_errors", kept: "pagespan_retained_errors", columns: ERROR_COLUMNS, time: "Time" },
  { table: "pagespan_logs", kept: "pagespan_retained_logs", columns: LOG_COLUMNS, time: "Timestamp" },
]

/** What has been copied of each run, one row a copy. */
export const RETAINED_COPIES = "pagespan_retained_copies"

/** Run names hold neither, and are quoted all the same: this becomes SQL. */
export function runLiteral(name: string): string {
  return `'${name.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
