import { type SchemaContext, tableSettings, ttl } from "./context.ts"

/**
 * What was measured of each route: one narrow row a page load, navigation, served request or web vital, so that
 * percentiles over days need neither the wide table nor a sum made in advance. `Value` is milliseconds, of `cls` a score.
 * `IsFinal` is false of a vital as it stood when the page had loaded. The engine drops repeated rows when it merges;
 * readers must not count on that.
 */
export function pagespanRoutes(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_routes (
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
TTL ${ttl("Timestamp", context)}
${tableSettings(8192, context)}`
}

/**
 * - A page's root says what it is by `sentry.op`; a request is a server span with a route.
 * - A page that was named after its URL is `unmatched`: raw paths would make a row for every visitor.
 * - A vital is an attribute of the root or of a span of its own, which knows its route by its trace alone.
 */
export function pagespanRoutesView(): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS pagespan_routes_mv TO pagespan_routes AS
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
  OR (SpanKind = 'Server' AND SpanAttributes['http.route'] != '') OR startsWith(SpanName, 'browser.web_vital.'))`
}
