import {
  attributes,
  ATTRIBUTES,
  bloomFilter,
  bool,
  type Column,
  DEFAULT_GRANULARITY,
  type Table,
  text,
  time,
  uint32,
  uint64,
  type View,
  word,
} from "./ddl.ts"

/**
 * Tables of spans: the OpenTelemetry Collector's, and beside them what Pagespan lists traces and routes from.
 *
 * The first two have the columns and types of the Collector's ClickHouse exporter (its variant with bloom filters), and on
 * a server also their order, so a collector and Pagespan can share them and every tool that reads them works. Tables of a
 * server that exist already are used as they are.
 *
 * @see https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/exporter/clickhouseexporter
 */

export const OTEL_TRACES: Table = {
  name: "otel_traces",
  columns: [
    time("Timestamp"),
    text("TraceId"),
    text("SpanId"),
    text("ParentSpanId"),
    text("TraceState"),
    word("SpanName"),
    word("SpanKind"),
    word("ServiceName"),
    attributes("ResourceAttributes", 3),
    text("ScopeName"),
    text("ScopeVersion"),
    attributes("SpanAttributes", 3),
    uint64("Duration"),
    word("StatusCode"),
    text("StatusMessage"),
    {
      name: "Events",
      nested: [
        ["Timestamp", "DateTime64(9)"],
        ["Name", "LowCardinality(String)"],
        ["Attributes", ATTRIBUTES],
      ],
      codec: "ZSTD(1)",
    },
    {
      name: "Links",
      nested: [
        ["TraceId", "String"],
        ["SpanId", "String"],
        ["TraceState", "String"],
        ["Attributes", ATTRIBUTES],
      ],
      codec: "ZSTD(1)",
    },
    attributeItems("ResourceAttributeItems", "ResourceAttributes"),
    attributeItems("SpanAttributeItems", "SpanAttributes"),
  ],
  indexes: [
    bloomFilter("idx_trace_id", "TraceId", 0.001),
    bloomFilter("idx_res_attr_key", "mapKeys(ResourceAttributes)"),
    bloomFilter("idx_res_attr_value", "mapValues(ResourceAttributes)"),
    bloomFilter("idx_span_attr_key", "mapKeys(SpanAttributes)"),
    bloomFilter("idx_span_attr_value", "mapValues(SpanAttributes)"),
    "idx_duration Duration TYPE minmax GRANULARITY 1",
    "idx_lower_span_name lower(SpanName) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8",
  ],
  engine: "MergeTree",
  partitionBy: "toDate(Timestamp)",
  /**
   * The exporter's order serves filters on service and name. By minute and trace, the spans of a trace are side by side: its
   * ids compress to a tenth, a trace is in one granule instead of one for each of its names, and a query for the newest
   * traces reads their minutes alone.
   */
  primaryKey: {
    embedded: "(toStartOfMinute(Timestamp), TraceId)",
    server: "(ServiceName, SpanName, toDateTime(Timestamp))",
  },
  orderBy: {
    embedded: "(toStartOfMinute(Timestamp), TraceId, Timestamp)",
    server: "(ServiceName, SpanName, toDateTime(Timestamp), Timestamp)",
  },
  time: "Timestamp",
  /**
   * Merged parts store a map in several buckets of its keys, so that values of one key are side by side and a filter on one
   * key reads its bucket alone. Inserts write one, which is faster.
   */
  embeddedSettings: [
    "map_serialization_version = 'with_buckets'",
    "map_buckets_coefficient = 2",
    "map_buckets_min_avg_size = 4",
  ],
  /**
   * With the exporter's 8,192, reading a trace of 20 spans takes more than twice as long as with 1,024; with 2,048 a
   * tenth longer. The disk takes the same. 512 would save a quarter, and double the time of an insert.
   */
  granularity: { embedded: 1_024, server: DEFAULT_GRANULARITY },
  shardBy: "TraceId",
}

function attributeItems(name: string, column: string): Column {
  const pairs = `CAST(${column}, 'Array(Tuple(String, String))')`
  return { name, type: "Array(String)", alias: `arrayMap(kv -> concat(kv.1, '=', kv.2), ${pairs})` }
}

/** First and last second of each trace, so that a query for a trace reads the partitions of its days alone. */
export const OTEL_TRACE_TIMES: Table = {
  name: "otel_traces_trace_id_ts",
  columns: [
    text("TraceId"),
    { name: "Start", type: "SimpleAggregateFunction(min, DateTime)", codec: "ZSTD(1)" },
    { name: "End", type: "SimpleAggregateFunction(max, DateTime)", codec: "ZSTD(1)" },
  ],
  engine: "AggregatingMergeTree",
  partitionBy: "toStartOfWeek(Start)",
  orderBy: "(TraceId)",
  time: "Start",
  granularity: DEFAULT_GRANULARITY,
  shardBy: "TraceId",
}

export const OTEL_TRACE_TIMES_VIEW: View = {
  name: "otel_traces_trace_id_ts_mv",
  from: OTEL_TRACES.name,
  to: OTEL_TRACE_TIMES.name,
  select: (from) => `SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End
FROM ${from} WHERE TraceId != '' GROUP BY TraceId`,
}

/**
 * One row per span and source, ordered by trace: what the trace list sums up, and what the Collector's columns do not
 * hold. The engine drops repeated rows when it merges; queries must not rely on that.
 */
export const SPANS: Table = {
  name: "pagespan_spans",
  columns: [
    text("TraceId"),
    text("SpanId"),
    word("Source"),
    time("Timestamp"),
    uint64("Duration"),
    word("ServiceName"),
    word("SpanName"),
    uint32("AttributeCount"),
    bool("IsRoot"),
    bool("IsError"),
    uint32("Flags"),
    uint32("DroppedAttributes"),
    uint32("DroppedEvents"),
    uint32("DroppedLinks"),
    word("SchemaUrl"),
    attributes("ScopeAttributes"),
    word("AttributeTypes"),
    text("ExactAttributes"),
  ],
  indexes: [bloomFilter("idx_trace_id", "TraceId")],
  engine: "ReplacingMergeTree",
  partitionBy: "toDate(Timestamp)",
  orderBy: "(TraceId, SpanId, Source)",
  time: "Timestamp",
  granularity: 1_024,
  shardBy: "TraceId",
}

/** The service of a row of `otel_traces`. A collector leaves the column empty if the resource names no service. */
export const SERVICE_OF_ROW = "if(ServiceName = '', 'unknown_service', ServiceName)"

/** Marks Pagespan's own inserts (setting `log_comment`), so that the view below skips them. */
export const OWN_INSERT = "pagespan"

/** Lists spans that others, such as a collector, insert into `otel_traces`. Pagespan inserts its own rows, which hold more. */
export const SPANS_VIEW: View = {
  name: "pagespan_spans_mv",
  from: OTEL_TRACES.name,
  to: SPANS.name,
  select: (from) => `SELECT TraceId, SpanId, 'otlp' AS Source, Timestamp, Duration,
  ${SERVICE_OF_ROW} AS ServiceName, SpanName,
  toUInt32(length(SpanAttributes)) AS AttributeCount, ParentSpanId = '' AS IsRoot, StatusCode = 'Error' AS IsError
FROM ${from} WHERE TraceId != '' AND getSetting('log_comment') != '${OWN_INSERT}'`,
}

/** When each service first appears in a trace, one row per insert, ordered by time: the newest traces are at the end. */
export const STARTS: Table = {
  name: "pagespan_starts",
  columns: [time("Timestamp"), text("TraceId"), word("ServiceName")],
  engine: "MergeTree",
  partitionBy: "toDate(Timestamp)",
  orderBy: "Timestamp",
  time: "Timestamp",
  granularity: DEFAULT_GRANULARITY,
  shardBy: "TraceId",
}

export const STARTS_VIEW: View = {
  name: "pagespan_starts_mv",
  from: SPANS.name,
  to: STARTS.name,
  select: (from) => `SELECT min(span.Timestamp) AS Timestamp, span.TraceId AS TraceId, span.ServiceName AS ServiceName
FROM ${from} AS span GROUP BY span.TraceId, span.ServiceName`,
}

/**
 * Measurements of each route: one narrow row per page load, navigation, served request or web vital, so that percentiles
 * over days need neither the wide table nor sums made in advance. `Value` is in milliseconds, of `cls` a score.
 * `IsFinal` is false for a vital as it was when the page had loaded. The engine drops repeated rows when it merges;
 * queries must not rely on that.
 */
export const ROUTES: Table = {
  name: "pagespan_routes",
  columns: [
    time("Timestamp"),
    word("Measure"),
    word("Route"),
    word("ServiceName"),
    { name: "Value", type: "Float64", codec: "ZSTD(1)" },
    bool("IsError"),
    bool("IsFinal"),
    text("TraceId"),
    text("SpanId"),
  ],
  engine: "ReplacingMergeTree",
  partitionBy: "toDate(Timestamp)",
  orderBy: "(Measure, Route, Timestamp, TraceId, SpanId)",
  time: "Timestamp",
  granularity: DEFAULT_GRANULARITY,
  shardBy: "TraceId",
}

/**
 * - `sentry.op` names the kind of a page's root span; a request is a server span with a route.
 * - The route of a page named after its URL is `unmatched`: raw paths would make one row per visitor.
 * - A vital is an attribute of the root span, or of a span of its own, which shares only the trace with its route.
 */
export const ROUTES_VIEW: View = {
  name: "pagespan_routes_mv",
  from: OTEL_TRACES.name,
  to: ROUTES.name,
  select: (from) => `SELECT Timestamp, measured.1 AS Measure,
  multiIf(startsWith(SpanName, 'browser.web_vital.'), '', SpanAttributes['http.route'] != '', SpanAttributes['http.route'],
    SpanAttributes['sentry.source'] = 'url' AND SpanName != '/_not-found', 'unmatched', SpanName) AS Route,
  ${SERVICE_OF_ROW} AS ServiceName, measured.2 AS Value,
  StatusCode = 'Error' AS IsError, startsWith(SpanName, 'browser.web_vital.') AS IsFinal, TraceId, SpanId
FROM ${from} ARRAY JOIN arrayConcat(
  multiIf(SpanAttributes['sentry.op'] = 'pageload', [('load', Duration / 1000000)],
    SpanAttributes['sentry.op'] = 'navigation', [('navigation', Duration / 1000000)],
    SpanKind = 'Server' AND SpanAttributes['http.route'] != '', [('request', Duration / 1000000)], []),
  if(SpanKind = 'Server' AND SpanAttributes['sentry.op'] = '', [], arrayFilter(vital -> vital.2 >= 0 AND vital.2 < 10000000, arrayMap(
    name -> (name, toFloat64OrDefault(if(mapContains(SpanAttributes, concat('browser.web_vital.', name, '.value')),
      SpanAttributes[concat('browser.web_vital.', name, '.value')], SpanAttributes[concat('sentry.measurement.', name)]),
      toFloat64(-1))),
    ['lcp', 'inp', 'cls', 'fcp', 'ttfb'])))) AS measured
WHERE TraceId != '' AND (SpanAttributes['sentry.op'] IN ('pageload', 'navigation')
  OR (SpanKind = 'Server' AND SpanAttributes['http.route'] != '') OR startsWith(SpanName, 'browser.web_vital.'))`,
}
