import type { Attributes, AttributeValue } from "../records/attributes.ts"
import {
  type InstrumentationScope,
  type Resource,
  SPAN_KINDS,
  type SpanEvent,
  type SpanLink,
  type SpanRecord,
  type SpanStatus,
  STATUS_CODES,
} from "../records/span.ts"

/** `TracesData` in OTLP/JSON: ids hexadecimal, 64-bit integers text, bytes base64, absent fields left out. */

export interface TracesJson {
  resourceSpans: ResourceSpansJson[]
}

export interface ResourceSpansJson {
  resource: { attributes: KeyValueJson[] }
  scopeSpans: ScopeSpansJson[]
  schemaUrl?: string
}

export interface ScopeSpansJson {
  scope: { name: string; version?: string; attributes?: KeyValueJson[] }
  spans: SpanJson[]
  schemaUrl?: string
}

export interface SpanJson {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  flags?: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: KeyValueJson[]
  droppedAttributesCount?: number
  events?: SpanEventJson[]
  droppedEventsCount?: number
  links?: SpanLinkJson[]
  droppedLinksCount?: number
  status: { code?: number; message?: string }
}

export interface SpanEventJson {
  timeUnixNano: string
  name: string
  attributes?: KeyValueJson[]
  droppedAttributesCount?: number
}

export interface SpanLinkJson {
  traceId: string
  spanId: string
  traceState?: string
  flags?: number
  attributes?: KeyValueJson[]
  droppedAttributesCount?: number
}

export interface KeyValueJson {
  key: string
  value: AnyValueJson
}

export interface AnyValueJson {
  stringValue?: string
  boolValue?: boolean
  intValue?: string
  doubleValue?: number | "NaN" | "Infinity" | "-Infinity"
  arrayValue?: { values: AnyValueJson[] }
  kvlistValue?: { values: KeyValueJson[] }
  bytesValue?: string
}

/**
 * Spans as OTLP/JSON, for the read API and for forwarding, grouped by resource and scope in the order in which these
 * first appear. Equal resources that are different objects share a group, so that stored spans are grouped as they
 * were sent. The protocol that delivered a span is not part of OTLP and is left out.
 */
export function tracesToJson(spans: readonly SpanRecord[]): TracesJson {
  const resources = new Grouping<Resource, ResourceSpansJson>(resourceToJson)
  const scopes = new Map<ResourceSpansJson, Grouping<InstrumentationScope, ScopeSpansJson>>()
  for (const span of spans) {
    const resourceSpans = resources.of(span.resource)
    let scopesOfResource = scopes.get(resourceSpans)
    if (scopesOfResource === undefined) {
      scopesOfResource = new Grouping<InstrumentationScope, ScopeSpansJson>(scopeToJson)
      scopes.set(resourceSpans, scopesOfResource)
    }
    scopesOfResource.of(span.scope).spans.push(spanToJson(span))
  }
  for (const [resourceSpans, scopesOfResource] of scopes) resourceSpans.scopeSpans = scopesOfResource.groups()
  return { resourceSpans: resources.groups() }
}

/** Finds a group by the identity of its source, which is cheap, and by equality only once for each object. */
class Grouping<Source extends object, Group extends object> {
  readonly #bySource = new Map<Source, Group>()
  readonly #byText = new Map<string, Group>()

  constructor(private readonly toJson: (source: Source) => Group) {}

  of(source: Source): Group {
    const known = this.#bySource.get(source)
    if (known !== undefined) return known
    const fresh = this.toJson(source)
    const text = JSON.stringify(fresh)
    const group = this.#byText.get(text) ?? fresh
    this.#byText.set(text, group)
    this.#bySource.set(source, group)
    return group
  }

  groups(): Group[] {
    return [...this.#byText.values()]
  }
}

function resourceToJson({ attributes, schemaUrl }: Resource): ResourceSpansJson {
  return {
    resource: { attributes: attributesToJson(attributes) },
    scopeSpans: [],
    ...(schemaUrl !== "" && { schemaUrl }),
  }
}

function scopeToJson({ name, version, attributes, schemaUrl }: InstrumentationScope): ScopeSpansJson {
  return {
    scope: {
      name,
      ...(version !== "" && { version }),
      ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
    },
    spans: [],
    ...(schemaUrl !== undefined && { schemaUrl }),
  }
}

export function spanToJson(span: SpanRecord): SpanJson {
  const { attributes, dropped, events, links } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    ...(span.traceState !== "" && { traceState: span.traceState }),
    ...(span.flags !== 0 && { flags: span.flags }),
    name: span.name,
    kind: SPAN_KINDS.indexOf(span.kind),
    startTimeUnixNano: String(span.startTime),
    endTimeUnixNano: String(span.endTime),
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
    ...(dropped.attributes > 0 && { droppedAttributesCount: dropped.attributes }),
    ...(events.length > 0 && { events: events.map(eventToJson) }),
    ...(dropped.events > 0 && { droppedEventsCount: dropped.events }),
    ...(links.length > 0 && { links: links.map(linkToJson) }),
    ...(dropped.links > 0 && { droppedLinksCount: dropped.links }),
    status: statusToJson(span.status),
  }
}

function eventToJson({ time, name, attributes, droppedAttributes }: SpanEvent): SpanEventJson {
  return {
    timeUnixNano: String(time),
    name,
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
    ...(droppedAttributes !== undefined && { droppedAttributesCount: droppedAttributes }),
  }
}

function linkToJson({ traceId, spanId, traceState, attributes, flags, droppedAttributes }: SpanLink): SpanLinkJson {
  return {
    traceId,
    spanId,
    ...(traceState !== "" && { traceState }),
    ...(flags !== undefined && { flags }),
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
    ...(droppedAttributes !== undefined && { droppedAttributesCount: droppedAttributes }),
  }
}

function statusToJson({ code, message }: SpanStatus): SpanJson["status"] {
  return {
    ...(code !== "unset" && { code: STATUS_CODES.indexOf(code) }),
    ...(message !== "" && { message }),
  }
}

export function attributesToJson(attributes: Attributes): KeyValueJson[] {
  const pairs: KeyValueJson[] = []
  for (const [key, value] of attributes) pairs.push({ key, value: valueToJson(value) })
  return pairs
}

function valueToJson(value: AttributeValue): AnyValueJson {
  if (value === null) return {}
  switch (typeof value) {
    case "string":
      return { stringValue: value }
    case "boolean":
      return { boolValue: value }
    case "bigint":
      return { intValue: String(value) }
    case "number":
      return { doubleValue: doubleToJson(value) }
  }
  if (value instanceof Uint8Array) return { bytesValue: base64(value) }
  if (value instanceof Map) return { kvlistValue: { values: attributesToJson(value) } }
  return { arrayValue: { values: (value as readonly AttributeValue[]).map(valueToJson) } }
}

function doubleToJson(value: number): number | "NaN" | "Infinity" | "-Infinity" {
  if (Number.isFinite(value)) return value
  return String(value) as "NaN" | "Infinity" | "-Infinity"
}

/** Uses `btoa`, so that a page can write OTLP/JSON too. Byte values are rare and at most 64 KiB. */
function base64(bytes: Uint8Array): string {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
