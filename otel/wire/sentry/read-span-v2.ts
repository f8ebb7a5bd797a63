import type { Resource, SpanRecord } from "../../model/span.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject } from "./parse-json.ts"
import { readResource, readScope, type SdkFacts } from "./read-origin.ts"
import { readIdentity, sentrySpan } from "./read-span.ts"
import { kindOf, readLinks, statusOf } from "./read-trace-context.ts"
import { originOfAttributes, readTypedAttributes } from "./typed-attributes.ts"

/** Relay drops an envelope with more; ours keeps as many again before it cuts. */
const SPAN_LIMIT = 10_000

/**
 * The spans of a `span` item of the second protocol, `{ version: 2, items: [...] }`. Those that say the same of where
 * they came from share one resource.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-protocol/
 */
export function readSpansV2(reader: ItemReader, items: readonly unknown[], headerSdk: SdkFacts): SpanRecord[] {
  const resources = new Map<string, Resource>()
  const spans: SpanRecord[] = []
  if (items.length > SPAN_LIMIT)
    reader.reject("limit_spans", "span", `spans of an item past ${SPAN_LIMIT}`, items.length - SPAN_LIMIT)
  for (const raw of items.slice(0, SPAN_LIMIT)) {
    const span = isObject(raw) ? readSpanV2(reader, raw, headerSdk, resources) : undefined
    if (span !== undefined) spans.push(span)
    else if (!isObject(raw)) reader.reject("invalid", "span", "a span is not an object")
  }
  return spans
}

function readSpanV2(
  reader: ItemReader,
  raw: JsonObject,
  headerSdk: SdkFacts,
  resources: Map<string, Resource>,
): SpanRecord | undefined {
  const identity = readIdentity(reader, raw, raw["end_timestamp"])
  if (identity === undefined) return undefined
  const attributes = readTypedAttributes(reader, raw["attributes"], "span attributes")
  const facts = originOfAttributes(attributes, headerSdk)
  const key = JSON.stringify(facts)
  const resource = resources.get(key) ?? readResource(new Map(), facts)
  resources.set(key, resource)
  const op = String(attributes.get("sentry.op") ?? "")
  const message = reader.longText(attributes.get("sentry.status.message"), "sentry.status.message")
  const origin = { resource, scope: readScope(facts.sdk) }
  return sentrySpan(identity, origin, {
    name: reader.text(raw["name"], "a span's name") || op,
    kind: kindOf(attributes.get("sentry.kind") ?? attributes.get("otel.kind"), op),
    status: statusOf(reader.text(raw["status"], "status"), message),
    attributes,
    links: readLinks(reader, raw["links"], (_, link) =>
      readTypedAttributes(reader, link["attributes"], "link attributes"),
    ),
  })
}
