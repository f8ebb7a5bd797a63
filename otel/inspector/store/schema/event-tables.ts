import { type SchemaContext, tableSettings, ttl } from "./context.ts"

/**
 * Errors and logs. A row stands for an event or a log record; the engine drops repeated ones when it merges, and readers
 * must not count on that.
 */

/** Columns are what errors are found, grouped and counted by; the rest of an error is JSON in `Detail`. */
export function pagespanErrors(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_errors (
  Time DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  IssueId String CODEC(ZSTD(1)),
  EventId String CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  Level LowCardinality(String) CODEC(ZSTD(1)),
  Type LowCardinality(String) CODEC(ZSTD(1)),
  Value String CODEC(ZSTD(1)),
  Transaction LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Environment LowCardinality(String) CODEC(ZSTD(1)),
  Release LowCardinality(String) CODEC(ZSTD(1)),
  Source LowCardinality(String) CODEC(ZSTD(1)),
  Detail String CODEC(ZSTD(3)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Time)
ORDER BY (IssueId, EventId)
TTL ${ttl("Time", context)}
${tableSettings(1024, context)}`
}

/** Whom an error met, and whether it was handled: `yes`, `no`, or empty where nobody said. Rows from before have none of it. */
export function addErrorReach(): string {
  return `ALTER TABLE pagespan_errors
  ADD COLUMN IF NOT EXISTS UserId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS SessionId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS Handled LowCardinality(String) CODEC(ZSTD(1))`
}

/** Named after the collector's columns where it has them. */
export function pagespanLogs(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_logs (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  LogId String CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  SeverityNumber UInt8 CODEC(ZSTD(1)),
  SeverityText LowCardinality(String) CODEC(ZSTD(1)),
  EventName LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Body String CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  ResourceSchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
  ScopeName LowCardinality(String) CODEC(ZSTD(1)),
  ScopeVersion LowCardinality(String) CODEC(ZSTD(1)),
  ScopeAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  LogAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  AttributeTypes LowCardinality(String) CODEC(ZSTD(1)),
  ExactAttributes String CODEC(ZSTD(1)),
  Source LowCardinality(String) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (Timestamp, LogId)
TTL ${ttl("Timestamp", context)}
${tableSettings(8192, context)}`
}
