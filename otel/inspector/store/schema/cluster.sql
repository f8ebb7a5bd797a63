-- The schema on a cluster: replicated tables on every node, spread over its shards by trace.
--
-- Generated from the tables in this directory (npm run reference); do not edit it.
--
-- An administrator runs it before Pagespan first connects, and again after an upgrade of Pagespan: a statement that has
-- been run changes nothing. Pagespan creates no table that it finds. It queries the tables without `_local`, on any
-- node. All rows of a trace are on one shard, which the queries of the trace list rely on
-- (`distributed_product_mode = 'local'`).
--
-- Needs the macros {shard} and {replica} on every node. Replace {cluster} with the name of the cluster and {days} with
-- the number of days to retain.

-- Tables of Pagespan before schema version 9 have other names. Their paths in ZooKeeper or Keeper stay: create a later
-- replica with the path that SHOW CREATE TABLE prints.

RENAME TABLE IF EXISTS pagespan_losses TO pagespan_dropped ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_traces TO pagespan_retained_traces ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_trace_times TO pagespan_retained_trace_times ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_spans TO pagespan_retained_spans ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_starts TO pagespan_retained_starts ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_errors TO pagespan_retained_errors ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_logs TO pagespan_retained_logs ON CLUSTER '{cluster}';

RENAME TABLE IF EXISTS pagespan_kept_copies TO pagespan_retained_copies ON CLUSTER '{cluster}';

-- Spans.

CREATE TABLE IF NOT EXISTS otel_traces_local ON CLUSTER '{cluster}' (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(3)),
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
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/otel_traces', '{replica}')
PARTITION BY toDate(Timestamp)
PRIMARY KEY (ServiceName, SpanName, toDateTime(Timestamp))
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp), Timestamp)
TTL toDateTime(Timestamp) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS otel_traces ON CLUSTER '{cluster}' AS otel_traces_local
ENGINE = Distributed('{cluster}', currentDatabase(), otel_traces_local, cityHash64(TraceId));

CREATE TABLE IF NOT EXISTS otel_traces_trace_id_ts_local ON CLUSTER '{cluster}' (
  TraceId String CODEC(ZSTD(1)),
  Start SimpleAggregateFunction(min, DateTime) CODEC(ZSTD(1)),
  End SimpleAggregateFunction(max, DateTime) CODEC(ZSTD(1))
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/{database}/otel_traces_trace_id_ts', '{replica}')
PARTITION BY toStartOfWeek(Start)
ORDER BY (TraceId)
TTL toDateTime(Start) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS otel_traces_trace_id_ts ON CLUSTER '{cluster}' AS otel_traces_trace_id_ts_local
ENGINE = Distributed('{cluster}', currentDatabase(), otel_traces_trace_id_ts_local, cityHash64(TraceId));

CREATE MATERIALIZED VIEW IF NOT EXISTS otel_traces_trace_id_ts_mv ON CLUSTER '{cluster}' TO otel_traces_trace_id_ts_local AS
SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End
FROM otel_traces_local WHERE TraceId != '' GROUP BY TraceId;

CREATE TABLE IF NOT EXISTS pagespan_spans_local ON CLUSTER '{cluster}' (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/pagespan_spans', '{replica}')
PARTITION BY toDate(Timestamp)
ORDER BY (TraceId, SpanId, Source)
TTL toDateTime(Timestamp) + toIntervalDay({days})
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS pagespan_spans ON CLUSTER '{cluster}' AS pagespan_spans_local
ENGINE = Distributed('{cluster}', currentDatabase(), pagespan_spans_local, cityHash64(TraceId));

CREATE TABLE IF NOT EXISTS pagespan_starts_local ON CLUSTER '{cluster}' (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/pagespan_starts', '{replica}')
PARTITION BY toDate(Timestamp)
ORDER BY Timestamp
TTL toDateTime(Timestamp) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_starts ON CLUSTER '{cluster}' AS pagespan_starts_local
ENGINE = Distributed('{cluster}', currentDatabase(), pagespan_starts_local, cityHash64(TraceId));

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_starts_mv ON CLUSTER '{cluster}' TO pagespan_starts_local AS
SELECT min(span.Timestamp) AS Timestamp, span.TraceId AS TraceId, span.ServiceName AS ServiceName
FROM pagespan_spans_local AS span GROUP BY span.TraceId, span.ServiceName;

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_spans_mv ON CLUSTER '{cluster}' TO pagespan_spans_local AS
SELECT TraceId, SpanId, 'otlp' AS Source, Timestamp, Duration,
  if(ServiceName = '', 'unknown_service', ServiceName) AS ServiceName, SpanName,
  toUInt32(length(SpanAttributes)) AS AttributeCount, ParentSpanId = '' AS IsRoot, StatusCode = 'Error' AS IsError
FROM otel_traces_local WHERE TraceId != '' AND getSetting('log_comment') != 'pagespan';

CREATE TABLE IF NOT EXISTS pagespan_routes_local ON CLUSTER '{cluster}' (
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Measure LowCardinality(String) CODEC(ZSTD(1)),
  Route LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  Value Float64 CODEC(ZSTD(1)),
  IsError Bool CODEC(ZSTD(1)),
  IsFinal Bool CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/pagespan_routes', '{replica}')
PARTITION BY toDate(Timestamp)
ORDER BY (Measure, Route, Timestamp, TraceId, SpanId)
TTL toDateTime(Timestamp) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_routes ON CLUSTER '{cluster}' AS pagespan_routes_local
ENGINE = Distributed('{cluster}', currentDatabase(), pagespan_routes_local, cityHash64(TraceId));

CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_routes_mv ON CLUSTER '{cluster}' TO pagespan_routes_local AS
SELECT Timestamp, measured.1 AS Measure,
  multiIf(startsWith(SpanName, 'browser.web_vital.'), '', SpanAttributes['http.route'] != '', SpanAttributes['http.route'],
    SpanAttributes['sentry.source'] = 'url' AND SpanName != '/_not-found', 'unmatched', SpanName) AS Route,
  if(ServiceName = '', 'unknown_service', ServiceName) AS ServiceName, measured.2 AS Value,
  StatusCode = 'Error' AS IsError, startsWith(SpanName, 'browser.web_vital.') AS IsFinal, TraceId, SpanId
FROM otel_traces_local ARRAY JOIN arrayConcat(
  multiIf(SpanAttributes['sentry.op'] = 'pageload', [('load', Duration / 1000000)],
    SpanAttributes['sentry.op'] = 'navigation', [('navigation', Duration / 1000000)],
    SpanKind = 'Server' AND SpanAttributes['http.route'] != '', [('request', Duration / 1000000)], []),
  if(SpanKind = 'Server' AND SpanAttributes['sentry.op'] = '', [], arrayFilter(vital -> vital.2 >= 0 AND vital.2 < 10000000, arrayMap(
    name -> (name, toFloat64OrDefault(if(mapContains(SpanAttributes, concat('browser.web_vital.', name, '.value')),
      SpanAttributes[concat('browser.web_vital.', name, '.value')], SpanAttributes[concat('sentry.measurement.', name)]),
      toFloat64(-1))),
    ['lcp', 'inp', 'cls', 'fcp', 'ttfb'])))) AS measured
WHERE TraceId != '' AND (SpanAttributes['sentry.op'] IN ('pageload', 'navigation')
  OR (SpanKind = 'Server' AND SpanAttributes['http.route'] != '') OR startsWith(SpanName, 'browser.web_vital.'));

-- Items of Sentry envelopes, with their payloads: spread over the shards by their own id.

CREATE TABLE IF NOT EXISTS pagespan_items_local ON CLUSTER '{cluster}' (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/pagespan_items', '{replica}')
PARTITION BY toDate(Time)
ORDER BY (Type, ItemId)
TTL toDateTime(Time) + toIntervalDay({days})
SETTINGS index_granularity = 256, ttl_only_drop_parts = 1, min_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS pagespan_items ON CLUSTER '{cluster}' AS pagespan_items_local
ENGINE = Distributed('{cluster}', currentDatabase(), pagespan_items_local, cityHash64(ItemId));

-- Small tables: every node has all rows.

CREATE TABLE IF NOT EXISTS pagespan_dropped ON CLUSTER '{cluster}' (
  Time DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  Stage LowCardinality(String) CODEC(ZSTD(1)),
  Reason LowCardinality(String) CODEC(ZSTD(1)),
  Category LowCardinality(String) CODEC(ZSTD(1)),
  Count UInt64 CODEC(T64, ZSTD(1)),
  Sample String CODEC(ZSTD(1)),
  Batch String CODEC(ZSTD(1)),
  Position UInt32 CODEC(T64, ZSTD(1)),
  Sender LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_dropped', '{shard}-{replica}')
PARTITION BY toDate(Time)
ORDER BY Time
TTL toDateTime(Time) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_errors ON CLUSTER '{cluster}' (
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
  UserId String CODEC(ZSTD(1)),
  SessionId String CODEC(ZSTD(1)),
  Handled LowCardinality(String) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/pagespan_errors', '{shard}-{replica}')
PARTITION BY toDate(Time)
ORDER BY (IssueId, EventId)
TTL toDateTime(Time) + toIntervalDay({days})
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS pagespan_logs ON CLUSTER '{cluster}' (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/pagespan_logs', '{shard}-{replica}')
PARTITION BY toDate(Timestamp)
ORDER BY (Timestamp, LogId)
TTL toDateTime(Timestamp) + toIntervalDay({days})
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_runs ON CLUSTER '{cluster}' (
  Name String CODEC(ZSTD(1)),
  Filter String CODEC(ZSTD(1)),
  Since DateTime64(9) CODEC(ZSTD(1)),
  Until DateTime64(9) CODEC(ZSTD(1)),
  IsRemoved Bool CODEC(ZSTD(1)),
  ChangedAt DateTime64(3) CODEC(ZSTD(1))
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_runs', '{shard}-{replica}')
ORDER BY Name;

-- Values that pagespan_dropped had before schema version 9.

ALTER TABLE pagespan_dropped UPDATE Reason = 'unsupported' WHERE Reason = 'not_kept';

ALTER TABLE pagespan_dropped UPDATE Stage = 'ingest' WHERE Stage = 'door';

-- Columns that tables of an earlier version do not have.

ALTER TABLE pagespan_dropped ON CLUSTER '{cluster}'
  ADD COLUMN IF NOT EXISTS Sender LowCardinality(String) CODEC(ZSTD(1));

-- Copies of retained runs, limited in number: every node has all rows, and none expires.

CREATE TABLE IF NOT EXISTS pagespan_retained_trace_times ON CLUSTER '{cluster}' (
  Run String CODEC(ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  Start SimpleAggregateFunction(min, DateTime) CODEC(ZSTD(1)),
  End SimpleAggregateFunction(max, DateTime) CODEC(ZSTD(1))
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_trace_times', '{shard}-{replica}')
PARTITION BY Run
ORDER BY (TraceId)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_retained_traces ON CLUSTER '{cluster}' (
  Run String CODEC(ZSTD(1)),
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  SpanId String CODEC(ZSTD(1)),
  ParentSpanId String CODEC(ZSTD(1)),
  TraceState String CODEC(ZSTD(1)),
  SpanName LowCardinality(String) CODEC(ZSTD(1)),
  SpanKind LowCardinality(String) CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1)),
  ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  ScopeName String CODEC(ZSTD(1)),
  ScopeVersion String CODEC(ZSTD(1)),
  SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(3)),
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
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_traces', '{shard}-{replica}')
PARTITION BY Run
PRIMARY KEY (ServiceName, SpanName, toDateTime(Timestamp))
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp), Timestamp)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_retained_spans ON CLUSTER '{cluster}' (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_spans', '{shard}-{replica}')
PARTITION BY Run
ORDER BY (TraceId, SpanId, Source)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS pagespan_retained_starts ON CLUSTER '{cluster}' (
  Run String CODEC(ZSTD(1)),
  Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  TraceId String CODEC(ZSTD(1)),
  ServiceName LowCardinality(String) CODEC(ZSTD(1))
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_starts', '{shard}-{replica}')
PARTITION BY Run
ORDER BY Timestamp
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_retained_errors ON CLUSTER '{cluster}' (
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
  UserId String CODEC(ZSTD(1)),
  SessionId String CODEC(ZSTD(1)),
  Handled LowCardinality(String) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_errors', '{shard}-{replica}')
PARTITION BY Run
ORDER BY (IssueId, EventId)
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS pagespan_retained_logs ON CLUSTER '{cluster}' (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_logs', '{shard}-{replica}')
PARTITION BY Run
ORDER BY (Timestamp, LogId)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS pagespan_retained_copies ON CLUSTER '{cluster}' (
  Run String CODEC(ZSTD(1)),
  CopiedTo DateTime64(9) CODEC(ZSTD(1)),
  Traces UInt64 CODEC(ZSTD(1)),
  Spans UInt64 CODEC(ZSTD(1))
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_retained_copies', '{shard}-{replica}')
PARTITION BY Run
ORDER BY CopiedTo;

CREATE TABLE IF NOT EXISTS pagespan_migrations ON CLUSTER '{cluster}' (
  Version UInt32,
  Title String,
  Made Array(String),
  AppliedAt DateTime64(3) DEFAULT now64(3)
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/pagespan_migrations', '{shard}-{replica}')
ORDER BY Version;
