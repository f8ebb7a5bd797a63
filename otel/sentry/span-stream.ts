import type { Client, StreamedSpanEnvelope } from "@sentry/core"
import { STREAMED_BYTES_LIMIT, STREAMED_SPAN_LIMIT } from "../model/limits.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { type StreamedSpan, streamedSpans, type TypedAttributes } from "./streamed-span.ts"
import type { Transaction } from "./transaction.ts"

const MEDIA_TYPE = "application/vnd.sentry.items.span.v2+json"

/**
 * Sends a finished root and its children, or late spans of one trace, as spans, in envelopes of one trace, each with the
 * sampling context in its header. They leave when the root has ended: only then is its name known, which filters and every
 * span's segment need.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 */
export function sendSpanStream(client: Client, sent: readonly Transaction[], samplingContext: SamplingContext): void {
  const common = commonAttributes(client)
  const spans = sent.flatMap((transaction) => streamedSpans(transaction, common))
  const platform = sent[0]?.payload.platform ?? "node"
  // What fails to be sent is counted by the transport.
  for (const batch of batches(spans))
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
  // No DSN: the tunnel sends what names none to the configured one, and nobody else looks for it.
  const header = {
    sent_at: new Date().toISOString(),
    ...("trace_id" in trace && "public_key" in trace ? { trace } : {}),
    ...(sdk === undefined ? {} : { sdk: { name: sdk.name, version: sdk.version } }),
  }
  // Nobody is told who the visitor is: what a span says is all there is to know.
  const inferred = { infer_ip: "never", infer_user_agent: "never" }
  const container = { version: 2, ...(platform === "javascript" ? { ingest_settings: inferred } : {}), items }
  const item = [{ type: "span", item_count: items.length, content_type: MEDIA_TYPE }, container]
  // The client's types differ between the versions of Sentry's SDK; what they describe does not.
  return [header, [item]] as unknown as StreamedSpanEnvelope
}

/** In the order in which they came, so that the segment goes first. */
function* batches(spans: readonly StreamedSpan[]): Generator<StreamedSpan[]> {
  let batch: StreamedSpan[] = []
  let bytes = 0
  for (const span of spans) {
    const weight = weightOf(span)
    if (batch.length === STREAMED_SPAN_LIMIT || (batch.length > 0 && bytes + weight > STREAMED_BYTES_LIMIT)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(span)
    bytes += weight
  }
  yield batch
}

/** Sentry's own estimate of a span (`estimateSerializedSpanSizeInBytes`): two bytes a character, whatever it is. */
function weightOf({ name, attributes, links = [] }: StreamedSpan): number {
  const linked = links.reduce((sum, link) => sum + 100 + weightOfAll(link.attributes ?? {}), 0)
  return 156 + 2 * name.length + weightOfAll(attributes) + linked
}

function weightOfAll(attributes: TypedAttributes): number {
  let bytes = 0
  for (const [key, { value, type }] of Object.entries(attributes)) {
    bytes += 2 * (key.length + type.length)
    bytes += typeof value === "string" ? 2 * value.length : Array.isArray(value) ? 2 * String(value).length : 8
  }
  return bytes
}
