import type { Attributes as OtelAttributes, AttributeValue as OtelAttributeValue } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Attributes, AttributeValue } from "../../protocol/records/attributes.ts"
import type { SpanId, TraceId } from "../../protocol/records/ids.ts"
import {
  type InstrumentationScope,
  type Resource,
  SPAN_KINDS,
  type SpanRecord,
  STATUS_CODES,
} from "../../protocol/records/span.ts"
import { fromHrTime } from "../../protocol/records/time.ts"
import { localInspector } from "./local-inspector.ts"
import { publicSpanContext } from "./trace-state.ts"

const FLUSH_MS = 100
const BATCH_LIMIT = 512

/** Batches finished spans for the inspector in this process: every 100 ms, or at 512 spans. Without one it does nothing. */
export class LocalSpanProcessor implements SpanProcessor {
  #buffer: ReadableSpan[] = []
  #timer: NodeJS.Timeout | undefined

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (localInspector() === undefined) return
    this.#buffer.push(span)
    if (this.#buffer.length >= BATCH_LIMIT) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
  }

  async forceFlush(): Promise<void> {
    this.#flush()
  }

  async shutdown(): Promise<void> {
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const spans = this.#buffer
    this.#buffer = []
    if (spans.length > 0) void localInspector()?.spans(spans.map(toSpanRecord))
  }
}

/** OTLP's `SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK` and `SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK`. */
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

const resourceRecords = new WeakMap<object, Resource>()

/** A span of OpenTelemetry's JavaScript SDK as a record. Integers become 64-bit integers, as its OTLP exporter writes them. */
export function toSpanRecord(span: ReadableSpan): SpanRecord {
  const { traceId, spanId, traceFlags, traceState } = publicSpanContext(span.spanContext())
  const isRemote = span.parentSpanContext?.isRemote === true
  return {
    traceId: traceId as TraceId,
    spanId: spanId as SpanId,
    parentSpanId: span.parentSpanContext?.spanId as SpanId | undefined,
    traceState: traceState?.serialize() ?? "",
    flags: traceFlags | HAS_IS_REMOTE | (isRemote ? IS_REMOTE : 0),
    name: span.name,
    kind: SPAN_KINDS[span.kind + 1] ?? "unspecified",
    startTime: fromHrTime(span.startTime),
    endTime: fromHrTime(span.endTime),
    status: { code: STATUS_CODES[span.status.code] ?? "unset", message: span.status.message ?? "" },
    attributes: toAttributes(span.attributes),
    events: span.events.map((event) => ({
      time: fromHrTime(event.time),
      name: event.name,
      attributes: toAttributes(event.attributes ?? {}),
      ...droppedAttributes(event),
    })),
    links: span.links.map((link) => ({
      traceId: link.context.traceId as TraceId,
      spanId: link.context.spanId as SpanId,
      traceState: link.context.traceState?.serialize() ?? "",
      attributes: toAttributes(link.attributes ?? {}),
      flags: link.context.traceFlags | HAS_IS_REMOTE | (link.context.isRemote === true ? IS_REMOTE : 0),
      ...droppedAttributes(link),
    })),
    dropped: {
      attributes: span.droppedAttributesCount,
      events: span.droppedEventsCount,
      links: span.droppedLinksCount,
    },
    resource: toResource(span.resource),
    scope: scopeOf(span.instrumentationScope),
    source: "otlp",
  }
}

function scopeOf({ name, version = "", schemaUrl }: ReadableSpan["instrumentationScope"]): InstrumentationScope {
  return { name, version, attributes: new Map(), ...(schemaUrl === undefined ? {} : { schemaUrl }) }
}

function droppedAttributes({ droppedAttributesCount: count = 0 }: { readonly droppedAttributesCount?: number }) {
  return count === 0 ? {} : { droppedAttributes: count }
}

function toResource(resource: ReadableSpan["resource"]): Resource {
  const known = resourceRecords.get(resource)
  if (known !== undefined) return known
  const record = { attributes: toAttributes(resource.attributes), schemaUrl: resource.schemaUrl ?? "" }
  resourceRecords.set(resource, record)
  return record
}

function toAttributes(attributes: OtelAttributes): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return new Map(entries.map(([key, value]) => [key, toValue(value as OtelAttributeValue)]))
}

function toValue(value: OtelAttributeValue | null | undefined): AttributeValue {
  if (Array.isArray(value)) return value.map((element) => toValue(element))
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value
  return value ?? null
}
