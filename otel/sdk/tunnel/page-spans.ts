import {
  type Attributes as OtelAttributes,
  type AttributeValue as OtelAttributeValue,
  createTraceState,
  type HrTime,
  type Link,
  type SpanContext,
} from "@opentelemetry/api"
import { type Resource as OtelResource, resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions"
import type { Attributes, AttributeValue } from "../../protocol/records/attributes.ts"
import { type Resource, SPAN_KINDS, type SpanLink, type SpanRecord, STATUS_CODES } from "../../protocol/records/span.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"
import type { PageSettings } from "../page-settings.ts"
import { sanitizeSpan } from "../sentry/sanitize-span.ts"
import { exportFailure } from "../server/collector.ts"
import { countDrop } from "../server/drops.ts"
import { localInspector } from "../server/local-inspector.ts"
import { toSpanRecord } from "../server/local-span-processor.ts"
import { DELIVERY_LIMIT_MS, settled } from "../server/serverless.ts"

/** Page spans of one request: from OTLP records to the spans of OpenTelemetry's SDK, and on to inspector and collector. */

/**
 * Exports the spans of a page to the configured collector and to the inspector in this process. Resolves when the collector
 * has them, like the request of an envelope, since a host may stop the process after the response; at the latest after five
 * seconds, while the export goes on. Never rejects.
 *
 * @param settings name the service, release and environment of a page that did not know them yet when it sent the spans.
 */
export async function exportPageSpans(
  spans: readonly SpanRecord[],
  settings: PageSettings,
  collector: SpanExporter | undefined,
): Promise<void> {
  // The page sanitizes the spans that Pagespan creates, but not those that the app creates itself.
  const outgoing = toReadableSpans(spans, settings).map(sanitizeSpan)
  void localInspector()?.spans(outgoing.map(toSpanRecord))
  if (collector === undefined) return
  const exported = new Promise<void>((resolve) =>
    collector.export(outgoing, (result) => {
      const reason = exportFailure(result)
      if (reason !== undefined) countDrop("forward", reason, "span", outgoing.length, "page spans")
      resolve()
    }),
  )
  await settled(exported, DELIVERY_LIMIT_MS)
}

/** Spans that share a resource record share a resource here too: exporters group by its identity. */
function toReadableSpans(spans: readonly SpanRecord[], settings: PageSettings): ReadableSpan[] {
  const defaults = resourceDefaults(settings)
  const resources = new Map<Resource, OtelResource>()
  return spans.map((span) => {
    const known = resources.get(span.resource)
    const resource = known ?? toOtelResource(span.resource, defaults)
    if (known === undefined) resources.set(span.resource, resource)
    return toReadableSpan(span, resource)
  })
}

/**
 * Resource attributes of a page, by the names of the semantic conventions.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/resource/
 */
function resourceDefaults({ service, release, environment }: PageSettings): OtelAttributes {
  return {
    [ATTR_SERVICE_NAME]: service,
    ...(release === undefined ? {} : { [ATTR_SERVICE_VERSION]: release }),
    "deployment.environment.name": environment,
  }
}

function toOtelResource({ attributes, schemaUrl }: Resource, defaults: OtelAttributes): OtelResource {
  return resourceFromAttributes(
    { ...defaults, ...otelAttributes(attributes) },
    schemaUrl === "" ? undefined : { schemaUrl },
  )
}

function toReadableSpan(record: SpanRecord, resource: OtelResource): ReadableSpan {
  const context = spanContext(record.traceId, record.spanId, record.flags, record.traceState)
  const parent = parentContext(record)
  return {
    name: record.name,
    kind: Math.max(0, SPAN_KINDS.indexOf(record.kind) - 1),
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    startTime: hrTime(record.startTime),
    endTime: hrTime(record.endTime),
    duration: hrTime((record.endTime - record.startTime) as Nanoseconds),
    ended: true,
    status: { code: STATUS_CODES.indexOf(record.status.code), message: record.status.message },
    attributes: otelAttributes(record.attributes),
    events: record.events.map(({ time, name, attributes }) => ({
      time: hrTime(time),
      name,
      attributes: otelAttributes(attributes),
    })),
    links: record.links.map(otelLink),
    resource,
    instrumentationScope: { name: record.scope.name, version: record.scope.version },
    droppedAttributesCount: record.dropped.attributes,
    droppedEventsCount: record.dropped.events,
    droppedLinksCount: record.dropped.links,
  }
}

/** OTLP's `SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK`: the parent is in another process. */
const IS_REMOTE = 0x200

function parentContext({ traceId, parentSpanId, flags }: SpanRecord): SpanContext | undefined {
  if (parentSpanId === undefined) return undefined
  const parent = spanContext(traceId, parentSpanId, flags, "")
  return (flags & IS_REMOTE) === 0 ? parent : { ...parent, isRemote: true }
}

function otelLink(link: SpanLink): Link {
  return {
    context: spanContext(link.traceId, link.spanId, 1, link.traceState),
    attributes: otelAttributes(link.attributes),
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
