import type { Attributes, AttributeValue } from "@opentelemetry/api"
import type { TraceContext, TraceLink, Transaction, TransactionPayload } from "./transaction.ts"
import { isLate } from "./vital.ts"

/**
 * A span of Sentry's second span protocol.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 */
export interface StreamedSpan {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly name: string
  readonly start_timestamp: number
  readonly end_timestamp: number
  readonly status: "ok" | "error"
  readonly is_segment: boolean
  readonly attributes: TypedAttributes
  readonly links?: readonly (Omit<TraceLink, "attributes"> & { readonly attributes?: TypedAttributes })[]
}

export type TypedAttributes = Record<string, { readonly value: AttributeValue; readonly type: string }>

/** Of a root: name of its `service.name`, which every span of it says. */
const SERVICE_NAME = "service.name"
/** Where Relay keeps the resource of a span that came by OTLP. */
const RESOURCE_PREFIX = "resource."

/** @param common what each span says of its client: SDK, release, environment. */
export function streamedSpans(transaction: Transaction, common: Attributes): StreamedSpan[] {
  const { payload } = transaction
  const { trace, otel } = payload.contexts
  const late = isLate(transaction)
  const shared: Attributes = {
    ...common,
    "sentry.trace_lifecycle": "stream",
    "sentry.segment.id": late ? trace.parent_span_id : trace.span_id,
    "sentry.segment.name": payload.transaction,
    "sentry.platform": payload.platform,
    [SERVICE_NAME]: otel.resource[SERVICE_NAME],
  }
  const ofSegment: Attributes = {
    ...prefixed(otel.resource),
    "sentry.segment.name.source": payload.transaction_info.source,
    "user_agent.original": payload.request?.headers?.["User-Agent"],
    "url.full": payload.request?.url,
  }
  const { start_timestamp, timestamp } = payload
  const segment = { ...trace, description: payload.transaction, start_timestamp, timestamp }
  return [
    // A late span says itself which segment it is of.
    streamedSpan(segment, late ? shared : { ...shared, ...ofSegment }, !late),
    ...payload.spans.map((span) => streamedSpan(span, shared, false)),
  ]
}

type SpanOfTransaction = TraceContext &
  Pick<TransactionPayload["spans"][number], "description" | "start_timestamp" | "timestamp">

/** What the span says of itself goes before what is said of it. */
function streamedSpan(span: SpanOfTransaction, said: Attributes, is_segment: boolean): StreamedSpan {
  const { trace_id, span_id, parent_span_id, op, status, origin, links } = span
  // `cancelled` is no failure: the page was left.
  const isFine = status === "ok" || status === "cancelled"
  const own = { "sentry.op": op, "sentry.origin": origin, ...(isFine ? {} : { "sentry.status.message": status }) }
  return {
    trace_id,
    span_id,
    ...(parent_span_id === undefined ? {} : { parent_span_id }),
    name: span.description,
    start_timestamp: span.start_timestamp,
    end_timestamp: span.timestamp,
    status: isFine ? "ok" : "error",
    is_segment,
    attributes: typed({ ...said, ...span.data, ...own }),
    ...(links === undefined ? {} : { links: links.map(streamedLink) }),
  }
}

function streamedLink({ attributes, ...link }: TraceLink) {
  return attributes === undefined ? link : { ...link, attributes: typed(attributes) }
}

function prefixed(resource: Attributes): Attributes {
  return Object.fromEntries(Object.entries(resource).map(([key, value]) => [`${RESOURCE_PREFIX}${key}`, value]))
}

function typed(attributes: Attributes): TypedAttributes {
  const result: TypedAttributes = {}
  for (const [key, value] of Object.entries(attributes)) {
    const type = typeOf(value)
    if (value !== undefined && type !== undefined) result[key] = { value, type }
  }
  return result
}

/** JSON has no way to say what is not finite; such a value is left out, as Sentry's own SDK does. */
function typeOf(value: AttributeValue | undefined): string | undefined {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number")
    return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? "double" : undefined
  return value === undefined ? undefined : typeof value
}
