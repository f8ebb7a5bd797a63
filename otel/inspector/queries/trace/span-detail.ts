import type { Attributes, AttributeValue } from "../../../protocol/records/attributes.ts"
import {
  serviceName,
  type SpanEvent,
  type SpanKind,
  type SpanRecord,
  type SpanSource,
  type SpanStatus,
} from "../../../protocol/records/span.ts"

/** One attribute as a screen shows it. */
export interface AttributeRow {
  readonly key: string
  readonly type: "text" | "number" | "boolean" | "bytes" | "list" | "map" | "empty"
  /** The value as text, cut to `SHOWN_TEXT_LIMIT` characters. */
  readonly text: string
  /** Characters of the whole value, when `text` is cut. */
  readonly cutFrom: number | undefined
}

/** Characters of one value that a screen shows. `GET /api/traces/{traceId}` has the whole value. */
export const SHOWN_TEXT_LIMIT = 4_096

/** Sorted by key, so that an attribute has the same position on every span. */
export function attributeRows(attributes: Attributes): AttributeRow[] {
  return [...attributes]
    .map(([key, value]) => ({ key, type: valueType(value), ...shown(valueText(value)) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

export function shown(text: string, limit = SHOWN_TEXT_LIMIT): Pick<AttributeRow, "text" | "cutFrom"> {
  if (text.length <= limit) return { text, cutFrom: undefined }
  return { text: text.slice(0, limit).replace(LONE_SURROGATE, ""), cutFrom: text.length }
}

const LONE_SURROGATE = /[\uD800-\uDBFF]$/

/** The value for a reader. Nesting is bounded by `DEPTH_LIMIT` at ingest. */
export function valueText(value: AttributeValue): string {
  if (typeof value === "string") return value
  if (value === null) return ""
  if (value instanceof Uint8Array) return hexadecimal(value)
  return typeof value === "object" ? JSON.stringify(value, asJson, 2) : String(value)
}

function asJson(_key: string, value: AttributeValue): unknown {
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return hexadecimal(value)
  return value instanceof Map ? Object.fromEntries(value) : value
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ")
}

function valueType(value: AttributeValue): AttributeRow["type"] {
  if (value === null) return "empty"
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "boolean"
  if (typeof value !== "object") return "number"
  if (value instanceof Uint8Array) return "bytes"
  return value instanceof Map ? "map" : "list"
}

/** One span as plain JSON: 64-bit numbers are strings; long values and lists are cut, with their full length beside them. */
export interface SpanDetail {
  readonly traceId: string
  readonly spanId: string
  /** `undefined` for a root span. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly service: string
  readonly kind: SpanKind
  readonly status: SpanStatus
  /** The protocol that reported this record. */
  readonly source: SpanSource
  readonly startTimeUnixNano: string
  /** Negative when the span ends before it starts. */
  readonly durationNano: string
  readonly traceState: string
  readonly attributes: readonly AttributeRow[]
  readonly events: readonly EventDetail[]
  readonly eventCount: number
  readonly links: readonly LinkDetail[]
  readonly linkCount: number
  readonly resource: readonly AttributeRow[]
  readonly scope: { readonly name: string; readonly version: string; readonly attributes: readonly AttributeRow[] }
  /** Counts of attributes, events and links that the sender dropped. */
  readonly dropped: SpanRecord["dropped"]
}

export interface EventDetail {
  readonly name: string
  /** From the start of the span; negative when the event is earlier. */
  readonly offsetNano: string
  readonly exception: ExceptionDetail | undefined
  /** Without the attributes that `exception` has. */
  readonly attributes: readonly AttributeRow[]
}

export interface ExceptionDetail {
  readonly type: string
  readonly message: string
  readonly stack: string
  /** Characters of the whole stack trace, when `stack` is cut. */
  readonly stackCutFrom: number | undefined
}

export interface LinkDetail {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: readonly AttributeRow[]
}

/**
 * Events and links of one span that a screen shows. OpenTelemetry's SDKs record 128 of each by default.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#span-limits
 */
export const SHOWN_LIST_LIMIT = 128
/** Characters of a stack trace that a screen shows: about 300 frames. */
export const SHOWN_STACK_LIMIT = 32_768

export function spanDetail(span: SpanRecord): SpanDetail {
  return {
    ...identity(span),
    attributes: attributeRows(span.attributes),
    events: span.events.slice(0, SHOWN_LIST_LIMIT).map((event) => eventDetail(event, span)),
    eventCount: span.events.length,
    links: span.links.slice(0, SHOWN_LIST_LIMIT).map(({ traceId, spanId, attributes }) => ({
      traceId,
      spanId,
      attributes: attributeRows(attributes),
    })),
    linkCount: span.links.length,
    resource: attributeRows(span.resource.attributes),
    scope: { ...span.scope, attributes: attributeRows(span.scope.attributes) },
    dropped: span.dropped,
  }
}

function identity(span: SpanRecord) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    service: serviceName(span.resource),
    kind: span.kind,
    status: span.status,
    source: span.source,
    startTimeUnixNano: String(span.startTime),
    durationNano: String(span.endTime - span.startTime),
    traceState: span.traceState,
  }
}

/** @see https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/ */
const EXCEPTION_KEYS = { type: "exception.type", message: "exception.message", stack: "exception.stacktrace" }
const SHOWN_BY_EXCEPTION: ReadonlySet<string> = new Set(Object.values(EXCEPTION_KEYS))

function eventDetail(event: SpanEvent, span: SpanRecord): EventDetail {
  const isException = event.name === "exception"
  const rows = attributeRows(event.attributes)
  return {
    name: event.name,
    offsetNano: String(event.time - span.startTime),
    exception: isException ? exceptionDetail(event.attributes) : undefined,
    attributes: isException ? rows.filter(({ key }) => !SHOWN_BY_EXCEPTION.has(key)) : rows,
  }
}

function exceptionDetail(attributes: Attributes): ExceptionDetail {
  const read = (key: string, limit?: number) => shown(valueText(attributes.get(key) ?? null), limit)
  const stack = read(EXCEPTION_KEYS.stack, SHOWN_STACK_LIMIT)
  return {
    type: read(EXCEPTION_KEYS.type).text,
    message: read(EXCEPTION_KEYS.message).text,
    stack: stack.text,
    stackCutFrom: stack.cutFrom,
  }
}
