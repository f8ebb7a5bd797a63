import type { Link } from "@opentelemetry/api"
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import { redactAddress } from "../../protocol/redact.ts"
import { isProxyRun } from "./open-roots.ts"
import { sanitizeAttributes, sanitizeOutgoing } from "./sanitize-attributes.ts"

const sanitizedSpans = new WeakMap<ReadableSpan, ReadableSpan>()
const sanitizedViews = new WeakSet<ReadableSpan>()
const sanitizedResources = new WeakMap<Resource, Resource>()

/**
 * A finished span as it leaves the process: named by the stable conventions, without queries and secrets, its ids and
 * times untouched. Made once for each span, so that Sentry, OTLP and the inspector get one and the same.
 */
export function sanitizeSpan(span: ReadableSpan): ReadableSpan {
  if (sanitizedViews.has(span)) return span
  const known = sanitizedSpans.get(span)
  if (known !== undefined) return known
  const view = viewOf(span)
  sanitizedSpans.set(span, view)
  sanitizedViews.add(view)
  return view
}

function viewOf(span: ReadableSpan): ReadableSpan {
  const { attributes, removed } = sanitizeOutgoing(span.attributes)
  const context = span.spanContext()
  return {
    name: redactAddress(nameOf(span)),
    kind: span.kind,
    spanContext: () => context,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status:
      span.status.message === undefined ? span.status : { ...span.status, message: redactAddress(span.status.message) },
    // Its name says no address: it is one for all that the proxy answers.
    attributes: isProxyRun(attributes) ? { ...attributes, "sentry.source": "route" } : attributes,
    events: span.events.map(outgoingEvent),
    links: span.links.map(outgoingLink),
    resource: outgoingResource(span.resource),
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount + removed,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  }
}

/** As Next calls the span of the proxy itself, which is all that such a request does. */
function nameOf({ name, attributes }: ReadableSpan): string {
  return isProxyRun(attributes) ? `middleware ${String(attributes["http.method"])}` : name
}

/** Cleaned once for all spans that share it. Some detectors fill one asynchronously: until then it is read anew. */
function outgoingResource(resource: Resource): Resource {
  const known = sanitizedResources.get(resource)
  if (known !== undefined) return known
  const { attributes, removed } = sanitizeAttributes(resource.attributes)
  const isClean =
    removed === 0 && Object.entries(attributes).every(([key, value]) => resource.attributes[key] === value)
  const view = isClean ? resource : resourceFromAttributes(attributes, schemaOf(resource))
  if (resource.asyncAttributesPending !== true) sanitizedResources.set(resource, view)
  return view
}

function schemaOf({ schemaUrl }: Resource) {
  return schemaUrl === undefined ? {} : { schemaUrl }
}

function outgoingEvent(event: TimedEvent): TimedEvent {
  return event.attributes === undefined
    ? event
    : { ...event, attributes: sanitizeOutgoing(event.attributes).attributes }
}

function outgoingLink(link: Link): Link {
  return link.attributes === undefined ? link : { ...link, attributes: sanitizeOutgoing(link.attributes).attributes }
}
