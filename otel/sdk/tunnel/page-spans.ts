import {
  type Attributes as OtelAttributes,
  type AttributeValue as OtelAttributeValue,
  createTraceState,
  type HrTime,
  type Link,
  type SpanContext,
  SpanKind,
} from "@opentelemetry/api"
import { type Resource as OtelResource, resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions"
import type { Attributes, AttributeValue } from "../../protocol/records/attributes.ts"
import {
  type InstrumentationScope,
  type Resource,
  type SpanLink,
  type SpanRecord,
  STATUS_CODES,
} from "../../protocol/records/span.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"
import { cutText } from "../../protocol/records/value-limits.ts"
import { quoteForMessage } from "../../protocol/transport/responses.ts"
import type { PageSettings } from "../page-settings.ts"
import { sanitizeSpan } from "../sentry/sanitize-span.ts"
import { exportSpans, undelivered } from "../server/collector.ts"
import { countDrop } from "../server/drops/count-drop.ts"
import { localInspector } from "../server/local-inspector.ts"
import { toSpanRecord } from "../server/local-span-processor.ts"
import { sampledSpans } from "./pages-without-settings.ts"

/**
 * Page spans of one request: from OTLP records to the spans of OpenTelemetry's SDK, and on to inspector and collector.
 *
 * Anybody can send them, so a page describes itself and nobody else: the server sets the resource's identity, and a span is
 * of kind client or internal.
 */

/** On the resource of every span that came through a tunnel. Its value is `page`. */
const ATTR_SENDER = "pagespan.sender"

/** Spans as they leave: with the server's identity, and sanitized. */
export interface PageSpans {
  readonly spans: readonly ReadableSpan[]
  readonly records: readonly SpanRecord[]
}

/** Prepares the spans of a page. This is all of the synchronous work. */
export function preparePageSpans(records: readonly SpanRecord[], settings: PageSettings): PageSpans {
  // The page sanitizes the spans that Pagespan creates, but not those that the app creates itself.
  const spans = toReadableSpans(sampledSpans(records, settings), settings).map((span) => sanitizeSpan(span))
  return { spans, records: localInspector() === undefined ? [] : spans.map(toSpanRecord) }
}

/**
 * Exports the spans of a page to the configured collector and to the inspector in this process. What fails is counted.
 *
 * @returns a promise that resolves when both have them, or have refused them. It never rejects.
 */
export async function exportPageSpans(
  { spans, records }: PageSpans,
  collector: SpanExporter | undefined,
): Promise<void> {
  if (spans.length === 0) return
  await Promise.all([localInspector()?.spans(records), collector && exportTo(collector, spans)])
}

async function exportTo(collector: SpanExporter, spans: readonly ReadableSpan[]): Promise<void> {
  const result = await exportSpans(collector, [...spans])
  const { reason, count, cause } = undelivered(result, spans.length)
  if (count > 0) countDrop("forward", reason, "span", count, "page spans", { name: "the collector", cause })
}

/** Spans that share a resource record share a resource here too: exporters group by its identity. */
function toReadableSpans(spans: readonly SpanRecord[], settings: PageSettings): ReadableSpan[] {
  const identity = identityOf(settings)
  const resources = new Map<Resource, OtelResource>()
  return spans.map((span) => {
    const known = resources.get(span.resource)
    const resource = known ?? toOtelResource(span.resource, identity)
    if (known === undefined) resources.set(span.resource, resource)
    return toReadableSpan(span, resource)
  })
}

/**
 * Resource attributes that the server sets, by the names of the semantic conventions.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/resource/
 */
function identityOf({ service, release, environment }: PageSettings): OtelAttributes {
  return {
    [ATTR_SERVICE_NAME]: service,
    ...(release === undefined ? {} : { [ATTR_SERVICE_VERSION]: release }),
    "deployment.environment.name": environment,
    [ATTR_SENDER]: "page",
  }
}

/**
 * Resource attributes that a page sets: those with which the semantic conventions describe a browser, its session and the
 * tracer in it. None of them names a service, a host or a deployment.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/resource/browser/
 */
const OF_A_PAGE = /^(?:browser|session|telemetry\.sdk|user_agent)\.[\w.-]{1,64}$/
/** More than the conventions name, at most `TEXT_LIMIT_BYTES` each: a store holds the resource beside every span. */
const ATTRIBUTE_LIMIT = 32
const TEXT_LIMIT_BYTES = 1_024

function toOtelResource({ attributes, schemaUrl }: Resource, identity: OtelAttributes): OtelResource {
  const given = Object.entries(otelAttributes(attributes)).filter(([key, value]) => identity[key] !== value)
  const own = given.filter(([key]) => OF_A_PAGE.test(key)).slice(0, ATTRIBUTE_LIMIT)
  const foreign = given.length - own.length
  const [example = ""] = given.find((entry) => !own.includes(entry)) ?? []
  if (foreign > 0) countDrop("tunnel", "foreign_identity", "default", foreign, `resource ${quoteForMessage(example)}`)
  const short = Object.fromEntries(own.map(([key, value]) => [key, shortened(value)]))
  return resourceFromAttributes({ ...short, ...identity }, schemaUrl === "" ? undefined : { schemaUrl })
}

/** `browser.brands` is the one list that the conventions have here. */
function shortened(value: OtelAttributeValue | undefined): OtelAttributeValue | undefined {
  if (typeof value === "string") return cutText(value, TEXT_LIMIT_BYTES)
  if (!Array.isArray(value)) return value
  return value.slice(0, ATTRIBUTE_LIMIT).map((element) => cutText(String(element), TEXT_LIMIT_BYTES))
}

function toReadableSpan(record: SpanRecord, resource: OtelResource): ReadableSpan {
  const context = spanContext(record.traceId, record.spanId, record.flags, record.traceState)
  const parent = parentContext(record)
  return {
    name: record.name,
    kind: record.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    startTime: hrTime(record.startTime),
    endTime: hrTime(record.endTime),
    duration: hrTime((record.endTime - record.startTime) as Nanoseconds),
    ended: true,
    status: { code: STATUS_CODES.indexOf(record.status.code), message: record.status.message },
    attributes: otelAttributes(record.attributes),
    events: record.events.map(({ time, name, attributes, droppedAttributes = 0 }) => ({
      time: hrTime(time),
      name,
      attributes: otelAttributes(attributes),
      droppedAttributesCount: droppedAttributes,
    })),
    links: record.links.map(otelLink),
    resource,
    instrumentationScope: otelScope(record.scope),
    droppedAttributesCount: record.dropped.attributes,
    droppedEventsCount: record.dropped.events,
    droppedLinksCount: record.dropped.links,
  }
}

/** OpenTelemetry's API has no attributes of a scope. */
function otelScope({ name, version, schemaUrl }: InstrumentationScope): ReadableSpan["instrumentationScope"] {
  return { name, version, ...(schemaUrl === undefined ? {} : { schemaUrl }) }
}

/** OTLP's `SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK`: the parent or the linked span is in another process. */
const IS_REMOTE = 0x200

function parentContext({ traceId, parentSpanId, flags }: SpanRecord): SpanContext | undefined {
  if (parentSpanId === undefined) return undefined
  const parent = spanContext(traceId, parentSpanId, flags, "")
  return (flags & IS_REMOTE) === 0 ? parent : { ...parent, isRemote: true }
}

function otelLink({ traceId, spanId, traceState, flags = 0, attributes, droppedAttributes = 0 }: SpanLink): Link {
  const context = spanContext(traceId, spanId, flags, traceState)
  return {
    context: (flags & IS_REMOTE) === 0 ? context : { ...context, isRemote: true },
    attributes: otelAttributes(attributes),
    droppedAttributesCount: droppedAttributes,
  }
}

function spanContext(traceId: string, spanId: string, flags: number, traceState: string): SpanContext {
  return {
    traceId,
    spanId,
    traceFlags: flags & 0xff,
    ...(traceState === "" ? {} : { traceState: createTraceState(traceState) }),
  }
}

const NANOS_PER_SECOND = 1_000_000_000n

function hrTime(time: Nanoseconds): HrTime {
  return [Number(time / NANOS_PER_SECOND), Number(time % NANOS_PER_SECOND)]
}

function otelAttributes(attributes: Attributes): OtelAttributes {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, otelValue(value)]))
}

/** The JavaScript API has no maps, bytes or 64-bit integers. An integer beyond 2^53 becomes a decimal string. */
function otelValue(value: AttributeValue): OtelAttributeValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (value instanceof Map)
    return JSON.stringify(Object.fromEntries([...value].map(([key, element]) => [key, otelValue(element)])))
  if (Array.isArray(value)) return value.map(otelValue) as string[]
  return (value ?? "") as OtelAttributeValue
}
