import type { Attributes } from "../model/attributes.ts"
import {
  serviceName,
  type SpanEvent,
  type SpanKind,
  type SpanRecord,
  type SpanSource,
  type SpanStatus,
} from "../model/span.ts"
import { attributeRows, shown, valueText, type AttributeRow } from "./attribute-rows.ts"

/** One span with all that is known of it, as plain JSON: 64-bit numbers are strings, long values and lists are cut and say so. */
export interface SpanDetail {
  readonly traceId: string
  readonly spanId: string
  /** `undefined` when it begins here. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly service: string
  readonly kind: SpanKind
  readonly status: SpanStatus
  /** The protocol that told it so. */
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
  /** What the sender says that it left out. */
  readonly dropped: SpanRecord["dropped"]
}

export interface EventDetail {
  readonly name: string
  /** From the start of the span; negative when the event is earlier. */
  readonly offsetNano: string
  readonly exception: ExceptionDetail | undefined
  /** Without those that `exception` shows. */
  readonly attributes: readonly AttributeRow[]
}

export interface ExceptionDetail {
  readonly type: string
  readonly message: string
  readonly stack: string
  /** Characters of the whole stack, when `stack` is only its beginning. */
  readonly stackCutFrom: number | undefined
}

export interface LinkDetail {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: readonly AttributeRow[]
}

/** Events and links of one span that a screen shows. OpenTelemetry's SDKs keep 128 of each by default. */
export const SHOWN_LIST_LIMIT = 128
/** Characters of a stack that a screen shows: some 300 frames. */
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
