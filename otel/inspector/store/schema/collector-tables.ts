import { type SchemaContext, tableSettings, ttl } from "./context.ts"

/**
 * The trace tables of the OpenTelemetry Collector's ClickHouse exporter, in its flavour with bloom filters, with the
 * same columns, types and order: a collector and Pagespan can share them, and every tool that reads them works here.
 * Where they exist already they are used as they are.
 *
 * @see https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/exporter/clickhouseexporter
 */

/**
 * Rows that are read for one that is wanted. With the exporter's 8,192 a trace of 20 spans takes more than twice as long,
 * with 2,048 a tenth longer; the disk takes the same. 512 would take a quarter off, and twice as long to insert.
 */
const SMALL_GRANULE = 1_024

const ATTRIBUTES = "Map(LowCardinality(String), String)"

export function otelTraces(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS otel_traces (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes ${ATTRIBUTES} CODEC(ZSTD(1)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes ${ATTRIBUTES} CODEC(ZSTD(1)),
  Duration UInt64 CODEC(T64, ZSTD(1)),
  StatusCode LowCardinality(String) CODEC(ZSTD(1)),
  StatusMessage String CODEC(ZSTD(1)),
  Events Nested (Timestamp DateTime64(9), Name LowCardinality(String), Attributes ${ATTRIBUTES}) CODEC(ZSTD(1)),
  Links Nested (TraceId String, SpanId String, TraceState String, Attributes ${ATTRIBUTES}) CODEC(ZSTD(1)),
  ResourceAttributeItems Array(String) ALIAS ${items("ResourceAttributes")},
  SpanAttributeItems Array(String) ALIAS ${items("SpanAttributes")},
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_res_attr_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_duration Duration TYPE minmax GRANULARITY 1,
  INDEX idx_lower_span_name lower(SpanName) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
) ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
PRIMARY KEY (ServiceName, SpanName, toDateTime(Timestamp))
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp), Timestamp)
TTL ${ttl("Timestamp", context)}
${tableSettings(context.embedded ? SMALL_GRANULE : 8192, context)}`
}

/** First and last second of each trace, so that a trace is read from its days alone. */
export function otelTraceTimes(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS otel_traces_trace_id_ts (
  TraceId String CODEC(ZSTD(1)),
  Start SimpleAggregateFunction(min, DateTime) CODEC(ZSTD(1)),
  End SimpleAggregateFunction(max, DateTime) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toStartOfWeek(Start)
ORDER BY (TraceId)
TTL ${ttl("Start", context)}
${tableSettings(8192, context)}`
}

export function otelTraceTimesView(): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS otel_traces_trace_id_ts_mv TO otel_traces_trace_id_ts AS
SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End
FROM otel_traces WHERE TraceId != '' GROUP BY TraceId`
}

function items(column: string): string {
  return `arrayMap(kv -> concat(kv.1, '=', kv.2), CAST(${column}, 'Array(Tuple(String, String))'))`
}
