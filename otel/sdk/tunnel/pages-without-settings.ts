import type { SpanRecord } from "../../protocol/records/span.ts"
import { formatEnvelope } from "../../protocol/sentry/format-envelope.ts"
import { type JsonObject, objectOf, parseObject, textOf } from "../../protocol/sentry/json.ts"
import type { Envelope } from "../../protocol/sentry/split-envelope.ts"
import type { PageSettings } from "../page-settings.ts"
import { shouldSample } from "../sentry/sampling.ts"
import { countDrop } from "../server/drops/count-drop.ts"

/**
 * What a page sends that is left before it has its settings. A document that is rendered at build time asks the tunnel for them,
 * and a visitor may leave it, or be redirected, before the answer arrives. Such a page does not know its environment and release:
 * Sentry would take the environment for `production`. Nor does it know the rate at which its traces are sampled. The tunnel does.
 */

const EVENT_TYPES: ReadonlySet<string> = new Set(["event", "transaction"])

/**
 * Samples the traces that begin in such a page, whose resource names no service, and counts the spans that are left out. A trace that
 * continues another one keeps its caller's decision.
 */
export function sampledSpans(spans: readonly SpanRecord[], { sampleRate = 1 }: PageSettings): readonly SpanRecord[] {
  if (sampleRate >= 1) return spans
  const unsampled = new Set<string>()
  for (const { parentSpanId, resource, traceId } of spans)
    if (parentSpanId === undefined && !resource.attributes.has("service.name") && !shouldSample(traceId, sampleRate))
      unsampled.add(traceId)
  const sampled = spans.filter(({ traceId }) => !unsampled.has(traceId))
  const excluded = spans.length - sampled.length
  if (excluded > 0) countDrop("tunnel", "sample_rate", "span", excluded, "page spans")
  return sampled
}

/**
 * The error or the transaction of such a page, with what its settings say.
 *
 * @returns the bytes of the envelope, `"unsampled"` for a transaction whose trace is not sampled, which is counted, and `undefined`
 *   for what comes from elsewhere.
 */
export function completeEnvelope(
  { header, items }: Envelope,
  settings: PageSettings,
): Uint8Array | "unsampled" | undefined {
  const [item, ...others] = items
  // A page with its settings writes one of these into most headers, so that few payloads are parsed.
  if (header["dsn"] !== undefined || header["trace"] !== undefined) return undefined
  if (item === undefined || others.length > 0 || !EVENT_TYPES.has(item.type)) return undefined
  const event = parseObject(item.payload)
  if (event === undefined || !isOfPageWithoutSettings(event)) return undefined
  if (item.type === "transaction" && !isSampled(event, settings)) {
    const { spans } = event
    countDrop("tunnel", "sample_rate", "transaction", 1, "from a page")
    countDrop("tunnel", "sample_rate", "span", 1 + (Array.isArray(spans) ? spans.length : 0), "from a page")
    return "unsampled"
  }
  const completed = withSettings(event, settings)
  return new TextEncoder().encode(formatEnvelope(header, item.type, completed))
}

/** Only `sentry-outbox.ts` writes an `sdk` without a name, and it writes the environment if it knows it. */
function isOfPageWithoutSettings({ sdk, environment }: JsonObject): boolean {
  const { name, settings } = objectOf(sdk)
  return environment === undefined && name === undefined && objectOf(settings)["infer_ip"] === "never"
}

function isSampled(transaction: JsonObject, { sampleRate = 1 }: PageSettings): boolean {
  const trace = objectOf(objectOf(transaction["contexts"])["trace"])
  return trace["parent_span_id"] !== undefined || shouldSample(textOf(trace["trace_id"]), sampleRate)
}

function withSettings(event: JsonObject, { service, environment, release }: PageSettings): JsonObject {
  const contexts = objectOf(event["contexts"])
  const otel = objectOf(contexts["otel"])
  const resource = { ...objectOf(otel["resource"]), "service.name": service }
  return { ...event, environment, release, contexts: { ...contexts, otel: { ...otel, resource } } }
}
