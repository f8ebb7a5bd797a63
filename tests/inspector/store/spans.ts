import { NO_ATTRIBUTES } from "#otel/protocol/records/attributes.ts"
import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "#otel/protocol/records/ids.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds, nanoseconds, type Nanoseconds } from "#otel/protocol/records/time.ts"

/** Spans to insert into a store. Ids are made from small numbers, so that a test can name them. */

export function traceId(number: number): TraceId {
  return parseTraceId(number.toString(16).padStart(32, "0"))!
}

export function spanId(number: number): SpanId {
  return parseSpanId(number.toString(16).padStart(16, "0"))!
}

/** A time some milliseconds ago, so that rows are within the retention. */
export function ago(milliseconds: number): Nanoseconds {
  return fromMilliseconds(Date.now() - milliseconds)
}

export function plus(time: Nanoseconds, nanos: bigint): Nanoseconds {
  return nanoseconds(time + nanos)
}

/** A root span, by default of service `shop` and 5 ms long. */
export function span(trace: number, id: number, over: Partial<SpanRecord> = {}): SpanRecord {
  const startTime = over.startTime ?? ago(1_000)
  return {
    traceId: traceId(trace),
    spanId: spanId(id),
    parentSpanId: undefined,
    traceState: "",
    flags: 1,
    name: `span ${id}`,
    kind: "server",
    startTime,
    endTime: plus(startTime, 5_000_000n),
    status: { code: "unset", message: "" },
    attributes: NO_ATTRIBUTES,
    events: [],
    links: [],
    dropped: { attributes: 0, events: 0, links: 0 },
    resource: service("shop"),
    scope: { name: "", version: "", attributes: NO_ATTRIBUTES },
    source: "otlp",
    ...over,
  }
}

export function service(name: string): SpanRecord["resource"] {
  return { attributes: new Map([["service.name", name]]), schemaUrl: "" }
}
