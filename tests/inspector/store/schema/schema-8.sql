-- What the version before schema 9 ran on an empty embedded store with a retention of 7 days.

CREATE TABLE IF NOT EXISTS pagespan_migrations (
  Version UInt32, Title String, Made Array(String), AppliedAt DateTime64(3) DEFAULT now64(3)
) ENGINE = MergeTree ORDER BY Version;

CREATE TABLE IF NOT EXISTS otel_traces (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  Duration UInt64 CODEC(T64, ZSTD(1)),
  StatusCode LowCardinality(String) CODEC(ZSTD(1)),
  StatusMessage String CODEC(ZSTD(1)),
  Events Nested (Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  Links Nested (TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  ResourceAttributeItems Array(String) ALIAS arrayMap(kv -> concat(kv.1, '=', kv.2), CAST(ResourceAttributes, 'Array(Tuple(String, String))')),
  SpanAttributeItems Array(String) ALIAS arrayMap(kv -> concat(kv.1, '=', kv.2), CAST(SpanAttributes, 'Array(Tuple(String, String))')),
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
TTL toDateTime(Timestamp) + toIntervalSecond(3196800)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS otel_traces_trace_id_ts (
  TraceId String CODEC(ZSTD(1)),
  Start SimpleAggregateFunction(min, DateTime) CODEC(ZSTD(1)),
  End SimpleAggregateFunction(max, DateTime) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toStartOfWeek(Start)
ORDER BY (TraceId)
TTL toDateTime(Start) + toIntervalSecond(3196800)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE MATERIALIZED VIEW IF NOT EXISTS otel_traces_trace_id_ts_mv TO otel_traces_trace_id_ts AS
SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End
FROM otel_traces WHERE TraceId != '' GROUP BY TraceId;

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (1, 'spans, as the OpenTelemetry Collector\'s exporter stores them', ['otel_traces', 'otel_traces_trace_id_ts', 'otel_traces_trace_id_ts_mv']);

CREATE TABLE IF NOT EXISTS pagespan_spans (
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
TTL toDateTime(Timestamp) + toIntervalSecond(3196800)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_starts (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
ORDER BY Timestamp
TTL toDateTime(Timestamp) + toIntervalSecond(3196800)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_starts_mv TO pagespan_starts AS
SELECT min(span.Timestamp) AS Timestamp, span.TraceId AS TraceId, span.ServiceName AS ServiceName
FROM pagespan_spans AS span GROUP BY span.TraceId, span.ServiceName;

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_spans_mv TO pagespan_spans AS
SELECT TraceId, SpanId, 'otlp' AS Source, Timestamp, Duration,
  if(ServiceName = '', 'unknown_service', ServiceName) AS ServiceName, SpanName,
  toUInt32(length(SpanAttributes)) AS AttributeCount, ParentSpanId = '' AS IsRoot, StatusCode = 'Error' AS IsError
FROM otel_traces WHERE TraceId != '' AND getSetting('log_comment') != 'pagespan';

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (2, 'the trace list, and what the collector\'s columns do not keep', ['pagespan_spans', 'pagespan_starts', 'pagespan_starts_mv', 'pagespan_spans_mv']);

CREATE TABLE IF NOT EXISTS pagespan_losses (
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
TTL toDateTime(Time) + toIntervalSecond(3196800)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (3, 'losses', ['pagespan_losses']);

CREATE TABLE IF NOT EXISTS pagespan_errors (
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
TTL toDateTime(Time) + toIntervalSecond(3196800)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_logs (
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
TTL toDateTime(Timestamp) + toIntervalSecond(3196800)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (4, 'errors and logs', ['pagespan_errors', 'pagespan_logs']);

CREATE TABLE IF NOT EXISTS pagespan_routes (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Measure LowCardinality(String) CODEC(ZSTD(1)),
  Route LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Value Float64 CODEC(ZSTD(1)),
  IsError Bool CODEC(ZSTD(1)),
  IsFinal Bool CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (Measure, Route, Timestamp, TraceId, SpanId)
TTL toDateTime(Timestamp) + toIntervalSecond(3196800)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_routes_mv TO pagespan_routes AS
SELECT Timestamp, measured.1 AS Measure,
  multiIf(startsWith(SpanName, 'browser.web_vital.'), '', SpanAttributes['http.route'] != '', SpanAttributes['http.route'],
    SpanAttributes['sentry.source'] = 'url' AND SpanName != '/_not-found', 'unmatched', SpanName) AS Route,
  if(ServiceName = '', 'unknown_service', ServiceName) AS ServiceName, measured.2 AS Value,
  StatusCode = 'Error' AS IsError, startsWith(SpanName, 'browser.web_vital.') AS IsFinal, TraceId, SpanId
FROM otel_traces ARRAY JOIN arrayConcat(
  multiIf(SpanAttributes['sentry.op'] = 'pageload', [('load', Duration / 1000000)],
    SpanAttributes['sentry.op'] = 'navigation', [('navigation', Duration / 1000000)],
    SpanKind = 'Server' AND SpanAttributes['http.route'] != '', [('request', Duration / 1000000)], []),
  if(SpanKind = 'Server' AND SpanAttributes['sentry.op'] = '', [], arrayFilter(told -> told.2 >= 0 AND told.2 < 10000000, arrayMap(
    name -> (name, toFloat64OrDefault(if(mapContains(SpanAttributes, concat('browser.web_vital.', name, '.value')),
      SpanAttributes[concat('browser.web_vital.', name, '.value')], SpanAttributes[concat('sentry.measurement.', name)]),
      toFloat64(-1))),
    ['lcp', 'inp', 'cls', 'fcp', 'ttfb'])))) AS measured
WHERE TraceId != '' AND (SpanAttributes['sentry.op'] IN ('pageload', 'navigation')
  OR (SpanKind = 'Server' AND SpanAttributes['http.route'] != '') OR startsWith(SpanName, 'browser.web_vital.'));

ALTER TABLE pagespan_errors
  ADD COLUMN IF NOT EXISTS UserId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS SessionId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS Handled LowCardinality(String) CODEC(ZSTD(1));

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (5, 'what was measured of each route, and whom an error met', ['pagespan_routes', 'pagespan_routes_mv']);

CREATE TABLE IF NOT EXISTS pagespan_runs (
  Name String CODEC(ZSTD(1)),
  Filter String CODEC(ZSTD(1)),
  Since DateTime64(9) CODEC(ZSTD(1)),
  Until DateTime64(9) CODEC(ZSTD(1)),
  IsRemoved Bool CODEC(ZSTD(1)),
  ChangedAt DateTime64(3) CODEC(ZSTD(1))
) ENGINE = MergeTree
ORDER BY Name;

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (6, 'runs that were kept', ['pagespan_runs']);

CREATE TABLE IF NOT EXISTS pagespan_items (
  Time DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Type LowCardinality(String) CODEC(ZSTD(1)),
  ItemId String CODEC(ZSTD(1)),
  EventId String CODEC(ZSTD(1)),
  AboutEventId String CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Environment LowCardinality(String) CODEC(ZSTD(1)),
  Release LowCardinality(String) CODEC(ZSTD(1)),
  Sdk LowCardinality(String) CODEC(ZSTD(1)),
  ContentType LowCardinality(String) CODEC(ZSTD(1)),
  FileName String CODEC(ZSTD(1)),
  AttachmentType LowCardinality(String) CODEC(ZSTD(1)),
  ByteLength UInt64 CODEC(T64, ZSTD(1)),
  Encoding LowCardinality(String) CODEC(ZSTD(1)),
  Payload String CODEC(ZSTD(3)),
  Detail String CODEC(ZSTD(1)),
  INDEX idx_event_id EventId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_about_event_id AboutEventId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toDate(Time)
ORDER BY (Type, ItemId)
TTL toDateTime(Time) + toIntervalSecond(3196800)
SETTINGS index_granularity = 256, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (7, 'items of Sentry envelopes, as they came', ['pagespan_items']);

CREATE TABLE IF NOT EXISTS pagespan_kept_traces (
  Run String CODEC(ZSTD(1)),
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  Duration UInt64 CODEC(T64, ZSTD(1)),
  StatusCode LowCardinality(String) CODEC(ZSTD(1)),
  StatusMessage String CODEC(ZSTD(1)),
  Events Nested (Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  Links Nested (TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  ResourceAttributeItems Array(String) ALIAS arrayMap(kv -> concat(kv.1, '=', kv.2), CAST(ResourceAttributes, 'Array(Tuple(String, String))')),
  SpanAttributeItems Array(String) ALIAS arrayMap(kv -> concat(kv.1, '=', kv.2), CAST(SpanAttributes, 'Array(Tuple(String, String))')),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_res_attr_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_duration Duration TYPE minmax GRANULARITY 1,
  INDEX idx_lower_span_name lower(SpanName) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
) ENGINE = MergeTree
PARTITION BY Run
PRIMARY KEY (ServiceName, SpanName, toDateTime(Timestamp))
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp), Timestamp)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_trace_times (
  Run String CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  Start SimpleAggregateFunction(min, DateTime) CODEC(ZSTD(1)),
  End SimpleAggregateFunction(max, DateTime) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY Run
ORDER BY (TraceId)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_spans (
  Run String CODEC(ZSTD(1)),
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
PARTITION BY Run
ORDER BY (TraceId, SpanId, Source)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_starts (
  Run String CODEC(ZSTD(1)),
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY Run
ORDER BY Timestamp
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_errors (
  Run String CODEC(ZSTD(1)),
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
PARTITION BY Run
ORDER BY (IssueId, EventId)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_logs (
  Run String CODEC(ZSTD(1)),
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
PARTITION BY Run
ORDER BY (Timestamp, LogId)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS pagespan_kept_copies (
  Run String CODEC(ZSTD(1)),
  CopiedTo DateTime64(9) CODEC(ZSTD(1)),
  Traces UInt64 CODEC(ZSTD(1)),
  Spans UInt64 CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY Run
ORDER BY CopiedTo;

ALTER TABLE pagespan_kept_errors
  ADD COLUMN IF NOT EXISTS UserId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS SessionId String CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS Handled LowCardinality(String) CODEC(ZSTD(1));

INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (8, 'the rows of kept runs, beyond the age of all others', ['pagespan_kept_traces', 'pagespan_kept_trace_times', 'pagespan_kept_spans', 'pagespan_kept_starts', 'pagespan_kept_errors', 'pagespan_kept_logs', 'pagespan_kept_copies']);

