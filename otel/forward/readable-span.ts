import {
  type Attributes as OtelAttributes,
  type AttributeValue as OtelAttributeValue,
  createTraceState,
  type HrTime,
  type SpanContext,
} from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { Attributes, AttributeValue } from "../model/attributes.ts"
import { type SpanLink, SPAN_KINDS, type SpanRecord, STATUS_CODES } from "../model/span.ts"
import type { Nanoseconds } from "../model/time.ts"

const NANOS_PER_SECOND = 1_000_000_000n

/** A record as OpenTelemetry's exporters take it, so that pages leave by the same exporter as the server. */
export function toReadableSpan(record: SpanRecord): ReadableSpan {
  const { traceId, parentSpanId } = record
  return {
    name: record.name,
    kind: Math.max(0, SPAN_KINDS.indexOf(record.kind) - 1),
    spanContext: () => spanContext(traceId, record.spanId, record.flags, record.traceState),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: spanContext(traceId, parentSpanId, record.flags, "") }),
    startTime: hrTime(record.startTime),
    endTime: hrTime(record.endTime),
    duration: hrTime((record.endTime - record.startTime) as Nanoseconds),
    ended: true,
    status: { code: STATUS_CODES.indexOf(record.status.code), message: record.status.message },
    attributes: otelAttributes(record.attributes),
    events: record.events.map(({ time, name, attributes }) => ({
      time: hrTime(time),
      name,
      attributes: otelAttributes(attributes),
    })),
    links: record.links.map(otelLink),
    resource: resourceFromAttributes(otelAttributes(record.resource.attributes)),
    instrumentationScope: { name: record.scope.name, version: record.scope.version },
    droppedAttributesCount: record.dropped.attributes,
    droppedEventsCount: record.dropped.events,
    droppedLinksCount: record.dropped.links,
  }
}

function otelLink(link: SpanLink) {
  return {
    context: spanContext(link.traceId, link.spanId, 1, link.traceState),
    attributes: otelAttributes(link.attributes),
  }
}

function spanContext(traceId: string, spanId: string, flags: number, traceState: string): SpanContext {
  return {
    traceId,
    spanId,
    traceFlags: flags & 0xff,
    ...(traceState === "" ? {} : { traceState: createTraceState(traceState) }),
  }
}

function hrTime(time: Nanoseconds): HrTime {
  return [Number(time / NANOS_PER_SECOND), Number(time % NANOS_PER_SECOND)]
}

function otelAttributes(attributes: Attributes): OtelAttributes {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, otelValue(value)]))
}

/** The JavaScript API has no maps, no bytes and no 64-bit integers; an integer past 2^53 goes as its digits. */
function otelValue(value: AttributeValue): OtelAttributeValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (value instanceof Map)
    return JSON.stringify(Object.fromEntries([...value].map(([key, held]) => [key, otelValue(held)])))
  if (Array.isArray(value)) return value.map(otelValue) as string[]
  return (value ?? "") as OtelAttributeValue
}
