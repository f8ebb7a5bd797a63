import type { Attributes, AttributeValue } from "@opentelemetry/api"
import type { Client, StreamedSpanEnvelope } from "@sentry/core"
import { PAGE_STREAMED_BYTES_LIMIT, STREAMED_BYTES_LIMIT, STREAMED_SPAN_LIMIT } from "../../protocol/limits.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { isLate } from "./span-facts.ts"
import type { TraceContext, TraceLink, Transaction, TransactionPayload } from "./transaction-payload.ts"

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

/** Resource attribute that every span of a segment repeats. */
const SERVICE_NAME = "service.name"
/** Prefix under which Relay stores the resource attributes of OTLP spans. */
const RESOURCE_PREFIX = "resource."

/** @param common attributes of every span: SDK, release and environment of the client. */
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
  const segmentOnly: Attributes = {
    ...prefixed(otel.resource),
    "sentry.segment.name.source": payload.transaction_info.source,
    "user_agent.original": payload.request?.headers?.["User-Agent"],
    "url.full": payload.request?.url,
  }
  const { start_timestamp, timestamp } = payload
  const segment = { ...trace, description: payload.transaction, start_timestamp, timestamp }
  return [
    // A late span names its segment itself.
    streamedSpan(segment, late ? shared : { ...shared, ...segmentOnly }, !late),
    ...payload.spans.map((span) => streamedSpan(span, shared, false)),
  ]
}

type SpanOfTransaction = TraceContext &
  Pick<TransactionPayload["spans"][number], "description" | "start_timestamp" | "timestamp">

/** The span's own attributes override the shared ones. */
function streamedSpan(span: SpanOfTransaction, shared: Attributes, is_segment: boolean): StreamedSpan {
  const { trace_id, span_id, parent_span_id, op, status, origin, links } = span
  // `cancelled` is no failure: the page was unloaded.
  const isOk = status === "ok" || status === "cancelled"
  const own = { "sentry.op": op, "sentry.origin": origin, ...(isOk ? {} : { "sentry.status.message": status }) }
  return {
    trace_id,
    span_id,
    ...(parent_span_id === undefined ? {} : { parent_span_id }),
    name: span.description,
    start_timestamp: span.start_timestamp,
    end_timestamp: span.timestamp,
    status: isOk ? "ok" : "error",
    is_segment,
    attributes: typed({ ...shared, ...span.data, ...own }),
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

/** JSON cannot represent numbers that are not finite. They are omitted, as in Sentry's own SDK. */
function typeOf(value: AttributeValue | undefined): string | undefined {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number")
    return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? "double" : undefined
  return value === undefined ? undefined : typeof value
}

const MEDIA_TYPE = "application/vnd.sentry.items.span.v2+json"

/**
 * Sends a finished root and its children, or late spans of one trace, as streamed spans, in envelopes whose header holds the
 * trace's sampling context. Spans are sent after their root has ended, because filters and every span's segment need the
 * root's final name.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 */
export function sendSpanStream(client: Client, sent: readonly Transaction[], samplingContext: SamplingContext): void {
  const common = commonAttributes(client)
  const spans = sent.flatMap((transaction) => streamedSpans(transaction, common))
  const platform = sent[0]?.payload.platform ?? "node"
  // The transport counts what it fails to send.
  const limitBytes = platform === "javascript" ? PAGE_STREAMED_BYTES_LIMIT : STREAMED_BYTES_LIMIT
  for (const batch of batches(spans, limitBytes))
    client.sendEnvelope(envelopeOf(client, batch, platform, samplingContext)).then(undefined, () => undefined)
}

function commonAttributes(client: Client) {
  const sdk = client.getSdkMetadata()?.sdk
  const { release, environment = "production" } = client.getOptions()
  return {
    "sentry.sdk.name": sdk?.name,
    "sentry.sdk.version": sdk?.version,
    "sentry.release": release,
    "sentry.environment": environment,
  }
}

function envelopeOf(
  client: Client,
  items: readonly StreamedSpan[],
  platform: Transaction["payload"]["platform"],
  trace: SamplingContext,
): StreamedSpanEnvelope {
  const sdk = client.getSdkMetadata()?.sdk
  // No DSN: the tunnel sends such an envelope to the configured DSN, and nothing else reads it.
  const header = {
    sent_at: new Date().toISOString(),
    ...("trace_id" in trace && "public_key" in trace ? { trace } : {}),
    ...(sdk === undefined ? {} : { sdk: { name: sdk.name, version: sdk.version } }),
  }
  // Sentry must not infer the visitor's address or browser from the request.
  const inferred = { infer_ip: "never", infer_user_agent: "never" }
  const container = { version: 2, ...(platform === "javascript" ? { ingest_settings: inferred } : {}), items }
  const item = [{ type: "span", item_count: items.length, content_type: MEDIA_TYPE }, container]
  // The types differ between versions of Sentry's SDK; the envelope does not.
  return [header, [item]] as unknown as StreamedSpanEnvelope
}

/** Batches within Sentry's limits, in order, so that the segment is in the first one. */
function* batches(spans: readonly StreamedSpan[], limitBytes: number): Generator<StreamedSpan[]> {
  let batch: StreamedSpan[] = []
  let bytes = 0
  for (const span of spans) {
    const size = sizeOf(span)
    if (batch.length === STREAMED_SPAN_LIMIT || (batch.length > 0 && bytes + size > limitBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(span)
    bytes += size
  }
  yield batch
}

/** The estimate of Sentry's SDK (`estimateSerializedSpanSizeInBytes`): two bytes for each character. */
function sizeOf({ name, attributes, links = [] }: StreamedSpan): number {
  const linked = links.reduce((sum, link) => sum + 100 + sizeOfAttributes(link.attributes ?? {}), 0)
  return 156 + 2 * name.length + sizeOfAttributes(attributes) + linked
}

function sizeOfAttributes(attributes: TypedAttributes): number {
  let bytes = 0
  for (const [key, { value, type }] of Object.entries(attributes)) {
    bytes += 2 * (key.length + type.length)
    bytes += typeof value === "string" ? 2 * value.length : Array.isArray(value) ? 2 * String(value).length : 8
  }
  return bytes
}
