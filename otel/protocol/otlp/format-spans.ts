import type { Attributes, AttributeValue, HrTime, Link, SpanContext } from "@opentelemetry/api"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import type { AnyValueJson, KeyValueJson, SpanEventJson, SpanJson, SpanLinkJson } from "./traces-json.ts"

/**
 * Finished spans of the OpenTelemetry SDK as OTLP/JSON, for a page. OpenTelemetry's own serializer brings a polyfill of
 * Node's `Buffer` into a Turbopack build, 7 kB of gzip for byte values that a page's spans never have.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

/** `Span.flags`: bit 8 says that bit 9 means something, bit 9 that the parent is in another process. */
const FLAGS_HAS_IS_REMOTE = 0x100
const FLAGS_IS_REMOTE = 0x200

/** What removes secrets from a span while it is formatted. */
export interface SpanRedaction {
  text(text: string): string
  attributes(attributes: Attributes): Attributes
}

const AS_IT_IS: SpanRedaction = { text: (text) => text, attributes: (attributes) => attributes }

/**
 * One span as the text of its JSON object, so that a batch can be cut by its size.
 *
 * @param redaction default: none, for a receiver that redacts.
 */
export function formatSpan(span: ReadableSpan, redaction = AS_IT_IS): string {
  const { traceId, spanId } = span.spanContext()
  const { parentSpanContext: parent, attributes, events, links, status } = span
  // `JSON.stringify` omits what is undefined.
  const json: Partial<Record<keyof SpanJson, unknown>> = {
    traceId,
    spanId,
    parentSpanId: parent?.spanId,
    flags: flagsOf(span.spanContext(), parent?.isRemote),
    name: redaction.text(span.name),
    // OTLP numbers kinds from 1, the API from 0.
    kind: span.kind + 1,
    startTimeUnixNano: unixNano(span.startTime),
    endTimeUnixNano: unixNano(span.endTime),
    attributes: keyValues(redaction.attributes(attributes)),
    droppedAttributesCount: span.droppedAttributesCount || undefined,
    events: events.length ? events.map((event) => eventToJson(event, redaction)) : undefined,
    droppedEventsCount: span.droppedEventsCount || undefined,
    links: links.length ? links.map((link) => linkToJson(link, redaction)) : undefined,
    droppedLinksCount: span.droppedLinksCount || undefined,
    status: { code: status.code, message: status.message && redaction.text(status.message) },
  }
  return JSON.stringify(json)
}

/** A span and its text. */
export interface FormattedSpan {
  readonly span: ReadableSpan
  readonly text: string
}

/** A request of spans that share a resource, grouped by scope; empty without spans. */
export function formatTracesRequest(spans: readonly FormattedSpan[]): string {
  const [first] = spans
  if (first === undefined) return '{"resourceSpans":[]}'
  const scopes = new Map<string, string[]>()
  for (const { span, text } of spans) {
    const { name, version } = span.instrumentationScope
    const scope = JSON.stringify({ name, version })
    const texts = scopes.get(scope)
    if (texts === undefined) scopes.set(scope, [text])
    else texts.push(text)
  }
  const groups = [...scopes].map(([scope, texts]) => `{"scope":${scope},"spans":[${texts.join(",")}]}`)
  const resource = JSON.stringify({ attributes: keyValues(first.span.resource.attributes) })
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[${groups.join(",")}]}]}`
}

function eventToJson({ name, time, attributes = {} }: TimedEvent, redaction: SpanRedaction): SpanEventJson {
  return {
    name: redaction.text(name),
    timeUnixNano: unixNano(time),
    attributes: keyValues(redaction.attributes(attributes)),
  }
}

function linkToJson({ context, attributes = {} }: Link, redaction: SpanRedaction): SpanLinkJson & { flags: number } {
  const { traceId, spanId, isRemote } = context
  const flags = flagsOf(context, isRemote)
  return { traceId, spanId, flags, attributes: keyValues(redaction.attributes(attributes)) }
}

function flagsOf({ traceFlags }: SpanContext, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | FLAGS_HAS_IS_REMOTE | (isRemote ? FLAGS_IS_REMOTE : 0)
}

/** Text, since a number cannot represent nanoseconds since 1970. */
function unixNano([seconds, nanos]: HrTime): string {
  return `${integerText(seconds)}${integerText(Math.trunc(nanos)).padStart(9, "0")}`
}

/**
 * As `String`, without an entry in V8's caches of number strings: the times of one page load would grow these by 110 kB, as
 * heap snapshots show.
 */
function integerText(value: number): string {
  return value.toFixed(0)
}

function keyValues(attributes: Attributes): KeyValueJson[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: AttributeValue | undefined | null): AnyValueJson {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return numberValue(value)
  return Array.isArray(value) ? { arrayValue: { values: value.map(anyValue) } } : {}
}

function numberValue(value: number): AnyValueJson {
  if (Number.isSafeInteger(value)) return { intValue: integerText(value) }
  return { doubleValue: Number.isFinite(value) ? value : (String(value) as "NaN" | "Infinity" | "-Infinity") }
}
