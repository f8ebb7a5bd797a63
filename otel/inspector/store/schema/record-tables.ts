import {
  attributes,
  bloomFilter,
  bool,
  DEFAULT_GRANULARITY,
  retainedTable,
  type Table,
  text,
  time,
  uint32,
  uint64,
  word,
} from "./ddl.ts"
import { OTEL_TRACE_TIMES, OTEL_TRACES, SPANS, STARTS } from "./span-tables.ts"

/**
 * Tables of all other records, of runs, and of what Pagespan knows of its own schema. The engine drops repeated errors,
 * logs and items when it merges; queries must not rely on that.
 */

/** Dropped data. Batch and position identify a record: queries count one that was inserted twice once. */
export const DROPPED: Table = {
  name: "pagespan_dropped",
  columns: [
    time("Time"),
    word("Stage"),
    word("Reason"),
    word("Category"),
    uint64("Count"),
    text("Sample"),
    text("Batch"),
    uint32("Position"),
    // Since version 10. Rows from before are empty in this column.
    word("Sender"),
  ],
  engine: "MergeTree",
  partitionBy: "toDate(Time)",
  orderBy: "Time",
  time: "Time",
  granularity: DEFAULT_GRANULARITY,
}

/** Columns hold what queries find, group and count errors by; the rest of an error is JSON in `Detail`. */
export const ERRORS: Table = {
  name: "pagespan_errors",
  columns: [
    time("Time"),
    text("IssueId"),
    text("EventId"),
    text("TraceId"),
    text("SpanId"),
    word("Level"),
    word("Type"),
    text("Value"),
    word("Transaction"),
    word("ServiceName"),
    word("Environment"),
    word("Release"),
    word("Source"),
    { name: "Detail", type: "String", codec: "ZSTD(3)" },
    // Since version 5. Rows from before are empty in these columns.
    text("UserId"),
    text("SessionId"),
    /** `yes`, `no`, or empty where the event does not say. */
    word("Handled"),
  ],
  indexes: [bloomFilter("idx_trace_id", "TraceId")],
  engine: "ReplacingMergeTree",
  partitionBy: "toDate(Time)",
  orderBy: "(IssueId, EventId)",
  time: "Time",
  granularity: 1_024,
}

/** Has the names of the Collector's log columns where it has the column. */
export const LOGS: Table = {
  name: "pagespan_logs",
  columns: [
    time("Timestamp"),
    text("LogId"),
    text("TraceId"),
    text("SpanId"),
    { name: "SeverityNumber", type: "UInt8", codec: "ZSTD(1)" },
    word("SeverityText"),
    word("EventName"),
    word("ServiceName"),
    text("Body"),
    attributes("ResourceAttributes"),
    word("ResourceSchemaUrl"),
    word("ScopeName"),
    word("ScopeVersion"),
    attributes("ScopeAttributes"),
    attributes("LogAttributes"),
    word("AttributeTypes"),
    text("ExactAttributes"),
    word("Source"),
  ],
  indexes: [bloomFilter("idx_trace_id", "TraceId")],
  engine: "ReplacingMergeTree",
  partitionBy: "toDate(Timestamp)",
  orderBy: "(Timestamp, LogId)",
  time: "Timestamp",
  granularity: DEFAULT_GRANULARITY,
}

/**
 * Items of Sentry envelopes as they arrived. `Payload` is text, or base64 where the item is not text (`Encoding`);
 * `Detail` is JSON of the facts and cuts. Granules are small because payloads are large.
 */
export const ITEMS: Table = {
  name: "pagespan_items",
  columns: [
    time("Time"),
    word("Type"),
    text("ItemId"),
    text("EventId"),
    text("AboutEventId"),
    text("TraceId"),
    text("SpanId"),
    word("ServiceName"),
    word("Environment"),
    word("Release"),
    word("Sdk"),
    word("ContentType"),
    text("FileName"),
    word("AttachmentType"),
    uint64("ByteLength"),
    word("Encoding"),
    { name: "Payload", type: "String", codec: "ZSTD(3)" },
    text("Detail"),
  ],
  indexes: [
    bloomFilter("idx_event_id", "EventId"),
    bloomFilter("idx_about_event_id", "AboutEventId"),
    bloomFilter("idx_trace_id", "TraceId"),
  ],
  engine: "ReplacingMergeTree",
  partitionBy: "toDate(Time)",
  orderBy: "(Type, ItemId)",
  time: "Time",
  granularity: 256,
  shardBy: "ItemId",
}

/** Named runs: few, and without an age. */
export const RUNS: Table = {
  name: "pagespan_runs",
  columns: [
    text("Name"),
    text("Filter"),
    { name: "Since", type: "DateTime64(9)", codec: "ZSTD(1)" },
    { name: "Until", type: "DateTime64(9)", codec: "ZSTD(1)" },
    bool("IsRemoved"),
    { name: "ChangedAt", type: "DateTime64(3)", codec: "ZSTD(1)" },
  ],
  engine: "MergeTree",
  orderBy: "Name",
}

export const RETAINED_TRACE_TIMES = retainedTable(OTEL_TRACE_TIMES, "pagespan_retained_trace_times")
export const RETAINED_TRACES = retainedTable(OTEL_TRACES, "pagespan_retained_traces")
export const RETAINED_STARTS = retainedTable(STARTS, "pagespan_retained_starts")

/** Tables whose rows are copied for retained runs, each with the table of its copies. */
export const RETAINED: readonly { readonly source: Table; readonly retained: Table }[] = [
  { source: OTEL_TRACE_TIMES, retained: RETAINED_TRACE_TIMES },
  { source: OTEL_TRACES, retained: RETAINED_TRACES },
  { source: SPANS, retained: retainedTable(SPANS, "pagespan_retained_spans") },
  { source: STARTS, retained: RETAINED_STARTS },
  { source: ERRORS, retained: retainedTable(ERRORS, "pagespan_retained_errors") },
  { source: LOGS, retained: retainedTable(LOGS, "pagespan_retained_logs") },
]

/** How far each run has been copied: all traces that began before `CopiedTo`. One row per copied slice. */
export const RETAINED_COPIES: Table = {
  name: "pagespan_retained_copies",
  columns: [
    text("Run"),
    { name: "CopiedTo", type: "DateTime64(9)", codec: "ZSTD(1)" },
    { name: "Traces", type: "UInt64", codec: "ZSTD(1)" },
    { name: "Spans", type: "UInt64", codec: "ZSTD(1)" },
  ],
  engine: "MergeTree",
  partitionBy: "Run",
  orderBy: "CopiedTo",
}

/** The migrations that have run, each with the tables and views that it created. */
export const APPLIED_MIGRATIONS: Table = {
  name: "pagespan_migrations",
  columns: [
    { name: "Version", type: "UInt32" },
    { name: "Title", type: "String" },
    { name: "Made", type: "Array(String)" },
    { name: "AppliedAt", type: "DateTime64(3)", default: "now64(3)" },
  ],
  engine: "MergeTree",
  orderBy: "Version",
}
