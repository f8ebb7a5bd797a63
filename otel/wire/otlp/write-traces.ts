import {
  type InstrumentationScope,
  type Resource,
  SPAN_KINDS,
  type SpanEvent,
  type SpanLink,
  type SpanRecord,
  type SpanStatus,
  STATUS_CODES,
} from "../../model/span.ts"
import type {
  ResourceSpansJson,
  ScopeSpansJson,
  SpanEventJson,
  SpanJson,
  SpanLinkJson,
  TracesJson,
} from "./traces-json.ts"
import { attributesToJson } from "./write-value.ts"

/**
 * Spans as OTLP/JSON, for the read API and for forwarding, grouped by resource and scope in the order in which these
 * first appear. Equal resources that are different objects share a group, so that what comes back from a store is grouped
 * as it was sent. Which protocol brought a span is not part of OTLP and is left out.
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

function scopeToJson({ name, version, attributes }: InstrumentationScope): ScopeSpansJson {
  return {
    scope: {
      name,
      ...(version !== "" && { version }),
      ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
    },
    spans: [],
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

function eventToJson({ time, name, attributes }: SpanEvent): SpanEventJson {
  return {
    timeUnixNano: String(time),
    name,
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
  }
}

function linkToJson({ traceId, spanId, traceState, attributes }: SpanLink): SpanLinkJson {
  return {
    traceId,
    spanId,
    ...(traceState !== "" && { traceState }),
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
  }
}

function statusToJson({ code, message }: SpanStatus): SpanJson["status"] {
  return {
    ...(code !== "unset" && { code: STATUS_CODES.indexOf(code) }),
    ...(message !== "" && { message }),
  }
}
