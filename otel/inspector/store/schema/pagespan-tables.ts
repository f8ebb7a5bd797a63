import { type SchemaContext, tableSettings, ttl } from "./context.ts"

/**
 * Our own tables, beside the collector's: narrow rows that the trace list is read from, what the collector's columns
 * do not keep of a span, and drops.
 */

/** How our own inserts mark themselves (setting `log_comment`), so that the view below leaves them out. */
export const OWN_INSERT = "pagespan"

/**
 * One row a span and source, by trace: what the list sums up, and what the collector's columns leave out. The engine
 * drops repeated rows when it merges; readers must not count on that.
 */
export function pagespanSpans(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_spans (
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  Source LowCardinality(String) CODEC(ZSTD(1)),
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Duration UInt64 CODEC(T64, ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  AttributeCount UInt32 CODEC(T64, ZSTD(1)),
  IsRoot Bool CODEC(ZSTD(1)),
  IsError Bool CODEC(ZSTD(1)),
  Flags UInt32 CODEC(T64, ZSTD(1)),
  DroppedAttributes UInt32 CODEC(T64, ZSTD(1)),
  DroppedEvents UInt32 CODEC(T64, ZSTD(1)),
  DroppedLinks UInt32 CODEC(T64, ZSTD(1)),
  SchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
  ScopeAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  AttributeTypes LowCardinality(String) CODEC(ZSTD(1)),
  ExactAttributes String CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (TraceId, SpanId, Source)
TTL ${ttl("Timestamp", context)}
${tableSettings(1024, context)}`
}

/** Rows for spans that others, like a collector, write into `otel_traces`: they are listed too. Our own come with more and directly. */
export function pagespanSpansView(): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_spans_mv TO pagespan_spans AS
SELECT TraceId, SpanId, 'otlp' AS Source, Timestamp, Duration,
  if(ServiceName = '', 'unknown_service', ServiceName) AS ServiceName, SpanName,
  toUInt32(length(SpanAttributes)) AS AttributeCount, ParentSpanId = '' AS IsRoot, StatusCode = 'Error' AS IsError
FROM otel_traces WHERE TraceId != '' AND getSetting('log_comment') != '${OWN_INSERT}'`
}

/** When each service first took part in a trace, one row an insert, in order of time: the newest traces stand at its end. */
export function pagespanStarts(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_starts (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
ORDER BY Timestamp
TTL ${ttl("Timestamp", context)}
${tableSettings(8192, context)}`
}

export function pagespanStartsView(): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_starts_mv TO pagespan_starts AS
SELECT min(span.Timestamp) AS Timestamp, span.TraceId AS TraceId, span.ServiceName AS ServiceName
FROM pagespan_spans AS span GROUP BY span.TraceId, span.ServiceName`
}

/** Drop records. Batch and position name a record, so that one inserted twice is read once. */
export function pagespanDrops(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_dropped (
  Time DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Stage LowCardinality(String) CODEC(ZSTD(1)),
  Reason LowCardinality(String) CODEC(ZSTD(1)),
  Category LowCardinality(String) CODEC(ZSTD(1)),
  Count UInt64 CODEC(T64, ZSTD(1)),
  Sample String CODEC(ZSTD(1)),
  Batch String CODEC(ZSTD(1)),
  Position UInt32 CODEC(T64, ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toDate(Time)
ORDER BY Time
TTL ${ttl("Time", context)}
${tableSettings(8192, context)}`
}
