import type { Attributes, HrTime, Link } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { httpStatusCode } from "./span-facts.ts"
import type { SpanMapping } from "./span-mapping.ts"
import type { TransactionRequest } from "./transaction-sender.ts"
import type { Measurements } from "./vitals.ts"

/**
 * A finished root and its children as the payload of Sentry's transaction item. Ids stay the same; a child's times are
 * clamped to its root's. The payload has all children; `TransactionSender` applies the limit. It is not sanitized here: a
 * server's spans have passed `SanitizingSpanProcessor`, and a page's payload passes `sanitizePayload`.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
export interface TransactionPayload {
  readonly type: "transaction"
  readonly event_id: string
  readonly platform: "javascript" | "node"
  readonly transaction: string
  readonly transaction_info: { readonly source: TransactionSource }
  /** Seconds since the epoch, with a fraction. */
  readonly start_timestamp: number
  readonly timestamp: number
  readonly contexts: {
    readonly trace: TraceContext
    readonly otel: { readonly resource: Attributes }
    readonly response?: { readonly status_code: number }
  }
  readonly request?: TransactionRequest
  readonly measurements?: Measurements
  readonly spans: readonly ChildSpan[]
}

export type TransactionSource = "route" | "url" | "custom"

export interface TraceContext {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly op?: string
  readonly status: string
  readonly origin: string
  readonly data: Attributes
  readonly links?: readonly TraceLink[]
}

export interface TraceLink {
  readonly trace_id: string
  readonly span_id: string
  readonly sampled: boolean
  readonly attributes?: Attributes
}

export interface ChildSpan {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly op?: string
  readonly description: string
  readonly status: string
  readonly origin: string
  readonly start_timestamp: number
  readonly timestamp: number
  readonly data: Attributes
  readonly links?: readonly TraceLink[]
}

const DEFAULT_ORIGIN = "auto.otel.pagespan"

export interface Transaction {
  readonly root: ReadableSpan
  readonly payload: TransactionPayload
}

export interface TransactionOptions {
  readonly platform: TransactionPayload["platform"]
  readonly eventId: string
  readonly words: SpanMapping
  readonly request?: TransactionRequest | undefined
}

export function assembleTransaction(
  root: ReadableSpan,
  children: readonly ReadableSpan[],
  { platform, eventId, words, request }: TransactionOptions,
): Transaction {
  const start = seconds(root.startTime)
  const end = Math.max(start, seconds(root.endTime))
  const status = httpStatusCode(root.attributes)
  return {
    root,
    payload: {
      type: "transaction",
      event_id: eventId,
      platform,
      transaction: root.name,
      transaction_info: { source: transactionSource(root) },
      start_timestamp: start,
      timestamp: end,
      contexts: {
        trace: identity(root, words),
        otel: { resource: root.resource.attributes },
        ...(status === undefined ? {} : { response: { status_code: status } }),
      },
      ...(request === undefined ? {} : { request }),
      spans: children.map((child) => childSpan(child, words, start, end)),
    },
  }
}

export function transactionSource(root: ReadableSpan): TransactionSource {
  const given = root.attributes["sentry.source"]
  if (given === "route" || given === "url" || given === "custom") return given
  return root.attributes["http.route"] === undefined ? "custom" : "route"
}

function childSpan(span: ReadableSpan, words: SpanMapping, rootStart: number, rootEnd: number): ChildSpan {
  const start = clamp(seconds(span.startTime), rootStart, rootEnd)
  return {
    ...identity(span, words),
    description: span.name,
    start_timestamp: start,
    timestamp: clamp(seconds(span.endTime), start, rootEnd),
  }
}

function identity(span: ReadableSpan, words: SpanMapping): TraceContext {
  const { traceId, spanId } = span.spanContext()
  const op = words.op(span)
  const origin = span.attributes["sentry.origin"]
  return {
    trace_id: traceId,
    span_id: spanId,
    ...(span.parentSpanContext === undefined ? {} : { parent_span_id: span.parentSpanContext.spanId }),
    ...(op === undefined ? {} : { op }),
    status: words.status(span),
    origin: typeof origin === "string" ? origin : DEFAULT_ORIGIN,
    data: span.attributes,
    ...(span.links.length === 0 ? {} : { links: span.links.map(traceLink) }),
  }
}

function traceLink(link: Link): TraceLink {
  return {
    trace_id: link.context.traceId,
    span_id: link.context.spanId,
    sampled: (link.context.traceFlags & 1) === 1,
    ...(link.attributes === undefined ? {} : { attributes: link.attributes }),
  }
}

function seconds([whole, nanos]: HrTime): number {
  return whole + nanos / 1e9
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
