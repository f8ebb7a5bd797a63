import {
  type Attributes as OtelAttributes,
  type AttributeValue as OtelAttributeValue,
  createTraceState,
  type HrTime,
  type SpanContext,
} from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import type { Attributes, AttributeValue } from "../../protocol/records/attributes.ts"
import { SPAN_KINDS, type SpanLink, type SpanRecord, STATUS_CODES } from "../../protocol/records/span.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"
import { sanitizeSpan } from "../sentry/sanitize-span.ts"
import { exportFailure } from "../server/collector.ts"
import { countDrop } from "../server/drops.ts"
import { localInspector } from "../server/local-inspector.ts"
import { toSpanRecord } from "../server/local-span-processor.ts"

const SERVICE_NAME = "service.name"

/** Hands the spans of a page on to the inspector in this process and to the configured collector. */
export function forwardPageSpans(
  spans: readonly SpanRecord[],
  service: string,
  collector: SpanExporter | undefined,
): void {
  // A page's own spans are clean when they leave it; what the app itself recorded beside them is cleaned here.
  const outgoing = withServiceName(spans, service).map((span) => sanitizeSpan(toReadableSpan(span)))
  void localInspector()?.spans(outgoing.map(toSpanRecord))
  collector?.export(outgoing, (result) => {
    const reason = exportFailure(result)
    if (reason !== undefined) countDrop("forward", reason, "span", outgoing.length, "page spans")
  })
}

/** A page whose HTML was made at build time may not know its own name yet. */
function withServiceName(spans: readonly SpanRecord[], service: string): readonly SpanRecord[] {
  return spans.map((span) => {
    if (span.resource.attributes.has(SERVICE_NAME)) return span
    const attributes = new Map([...span.resource.attributes, [SERVICE_NAME, service]])
    return { ...span, resource: { ...span.resource, attributes } }
  })
}

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
