import { type SchemaContext, tableSettings, ttl } from "./context.ts"

/**
 * Items of Sentry envelopes as they came. `Payload` is their text, or base64 where they are no text (`Encoding`); `Detail`
 * is JSON of what was read of them and what was cut. Granules are small: payloads are large.
 */
export function pagespanItems(context: SchemaContext): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_items (
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
TTL ${ttl("Time", context)}
${tableSettings(256, context)}`
}
