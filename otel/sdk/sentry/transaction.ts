import type { HrTime, Link } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { httpStatusCode } from "./span-facts.ts"
import { isValidContext } from "../valid-context.ts"
import type { SpanMapping } from "./span-mapping.ts"
import type {
  ChildSpan,
  TraceContext,
  TraceLink,
  Transaction,
  TransactionPayload,
  TransactionRequest,
  TransactionSource,
} from "./transaction-payload.ts"

const DEFAULT_ORIGIN = "auto.otel.pagespan"

export interface TransactionOptions {
  readonly platform: TransactionPayload["platform"]
  readonly eventId: string
  readonly mapping: SpanMapping
  readonly request?: TransactionRequest | undefined
}

export function assembleTransaction(
  root: ReadableSpan,
  children: readonly ReadableSpan[],
  { platform, eventId, mapping, request }: TransactionOptions,
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
        trace: identity(root, mapping),
        otel: { resource: root.resource.attributes },
        ...(status && { response: { status_code: status } }),
      },
      request,
      spans: children.map((child) => childSpan(child, mapping, start, end)),
    },
  }
}

export function transactionSource(root: ReadableSpan): TransactionSource {
  const given = root.attributes["sentry.source"]
  if (given === "route" || given === "url" || given === "custom") return given
  return root.attributes["http.route"] === undefined ? "custom" : "route"
}

function childSpan(span: ReadableSpan, mapping: SpanMapping, rootStart: number, rootEnd: number): ChildSpan {
  const start = clamp(seconds(span.startTime), rootStart, rootEnd)
  return {
    ...identity(span, mapping),
    description: span.name,
    start_timestamp: start,
    timestamp: clamp(seconds(span.endTime), start, rootEnd),
  }
}

function identity(span: ReadableSpan, mapping: SpanMapping): TraceContext {
  const { traceId, spanId } = span.spanContext()
  const op = mapping.op(span)
  const origin = span.attributes["sentry.origin"]
  // An app's own link may have no context. The transaction must still be sent.
  const links = span.links.filter(({ context }) => context && isValidContext(context))
  return {
    trace_id: traceId,
    span_id: spanId,
    ...(span.parentSpanContext && { parent_span_id: span.parentSpanContext.spanId }),
    ...(op !== undefined && { op }),
    status: mapping.status(span),
    origin: typeof origin === "string" ? origin : DEFAULT_ORIGIN,
    data: span.attributes,
    ...(links[0] && { links: links.map(traceLink) }),
  }
}

function traceLink(link: Link): TraceLink {
  return {
    trace_id: link.context.traceId,
    span_id: link.context.spanId,
    sampled: (link.context.traceFlags & 1) === 1,
    ...(link.attributes && { attributes: link.attributes }),
  }
}

function seconds([whole, nanos]: HrTime): number {
  return whole + nanos / 1e9
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
