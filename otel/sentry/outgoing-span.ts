import type { Link } from "@opentelemetry/api"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import { scrubAddress } from "./scrub.ts"
import { outgoingAttributes } from "./semantic-attributes.ts"

const views = new WeakMap<ReadableSpan, ReadableSpan>()
const made = new WeakSet<ReadableSpan>()

/**
 * A finished span as it leaves the process: named by the stable conventions, without queries and secrets, its ids and
 * times untouched. Made once for each span, so that Sentry, OTLP and the inspector get one and the same.
 */
export function outgoingSpan(span: ReadableSpan): ReadableSpan {
  if (made.has(span)) return span
  const known = views.get(span)
  if (known !== undefined) return known
  const view = viewOf(span)
  views.set(span, view)
  made.add(view)
  return view
}

function viewOf(span: ReadableSpan): ReadableSpan {
  const { attributes, removed } = outgoingAttributes(span.attributes)
  const context = span.spanContext()
  return {
    name: scrubAddress(span.name),
    kind: span.kind,
    spanContext: () => context,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status:
      span.status.message === undefined ? span.status : { ...span.status, message: scrubAddress(span.status.message) },
    attributes,
    events: span.events.map(outgoingEvent),
    links: span.links.map(outgoingLink),
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount + removed,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  }
}

function outgoingEvent(event: TimedEvent): TimedEvent {
  return event.attributes === undefined
    ? event
    : { ...event, attributes: outgoingAttributes(event.attributes).attributes }
}

function outgoingLink(link: Link): Link {
  return link.attributes === undefined ? link : { ...link, attributes: outgoingAttributes(link.attributes).attributes }
}
