import { type Attributes, type AttributeValue, type Link, SpanKind } from "@opentelemetry/api"
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import { proxyRunName } from "../../protocol/proxy-run.ts"
import { redactAddress, redactAttribute } from "../../protocol/redact.ts"
import { isProxyRun, isRequestSpan, methodOf, nameWithRoute } from "../routes/request-span.ts"
import { withPublicAddresses } from "../routes/served-paths.ts"
import { CleanTexts } from "./clean-texts.ts"
import { queryText } from "./query-text.ts"
import { redactValue, sanitizeAttributes, sanitizeOutgoing } from "./sanitize-attributes.ts"
import { outcomeOf, withClassNames } from "./span-outcome.ts"

const clean = new CleanTexts()
const sanitizedSpans = new WeakMap<ReadableSpan, ReadableSpan>()
const sanitizedViews = new WeakSet<ReadableSpan>()
const sanitizedResources = new WeakMap<Resource, Resource>()

/**
 * The sanitized view of a finished span: with stable attribute names, without queries and secrets, with the same ids and
 * times. Each span has one view, so that Sentry, OTLP and the inspector get the same.
 *
 * @param route of the span's request, where its name has none, or another one.
 */
export function sanitizeSpan(span: ReadableSpan, route?: string): ReadableSpan {
  if (sanitizedViews.has(span)) return span
  const known = sanitizedSpans.get(span)
  if (known !== undefined) return known
  const view = viewOf(span, route)
  sanitizedSpans.set(span, view)
  sanitizedViews.add(view)
  return view
}

function viewOf(span: ReadableSpan, route: string | undefined): ReadableSpan {
  const outcome = outcomeOf(span)
  const { status } = outcome
  const { attributes: sanitized, removed } = sanitizeOutgoing(
    route === undefined ? outcome.attributes : { ...outcome.attributes, "http.route": route },
    redactRepeated,
  )
  const attributes = withoutPathSecrets(sanitized, span.kind)
  const context = span.spanContext()
  const links = span.links.filter(hasContext)
  return {
    name: clean.redacted(NAME, route === undefined ? nameOf(span) : `${methodOf(span.name)} ${route}`, redactName),
    kind: span.kind,
    spanContext: () => context,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status: status.message === undefined ? status : { ...status, message: redactAddress(status.message) },
    // The name holds no URL: all runs of the proxy share it.
    attributes: isProxyRun(attributes) ? { ...attributes, "sentry.source": "route" } : attributes,
    events: withClassNames(outcome).map(sanitizeEvent),
    links: links.map(sanitizeLink),
    resource: sanitizeResource(span.resource),
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount + removed,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount + span.links.length - links.length,
  }
}

/** A client's span with a route is of a page, whose requests of its own server have one. Other clients call other servers. */
function withoutPathSecrets(attributes: Attributes, kind: SpanKind): Attributes {
  const route = attributes["http.route"] ?? attributes["url.template"]
  if (typeof route === "string") return withPublicAddresses(attributes, route)
  return kind === SpanKind.CLIENT ? attributes : withPublicAddresses(attributes)
}

/** The key of names among the clean texts. No attribute has it. */
const NAME = ""

function redactName(_key: string, name: string): string {
  return redactAddress(name)
}

/** `redactValue` for what repeats with each request. Other values than texts are few. */
function redactRepeated(key: string, value: AttributeValue): AttributeValue {
  return typeof value === "string"
    ? clean.redacted<AttributeValue>(key, value, redactAttribute as typeof redactValue)
    : redactValue(key, value)
}

/**
 * A proxy run is named like Next's span of the proxy itself, which is all that such a request does. A request without a route is
 * named by its method. A name that is the text of a query has no literals either.
 */
function nameOf({ name, attributes }: ReadableSpan): string {
  if (name === (attributes["db.query.text"] ?? attributes["db.statement"])) return queryText(name, attributes)
  if (isProxyRun(attributes)) return proxyRunName(String(attributes["http.method"]))
  const isUnnamed = isRequestSpan(attributes) && attributes["http.route"] === undefined
  return isUnnamed ? methodOf(name) : nameWithRoute(name, attributes)
}

/** Sanitized once for all spans that share the resource. Detectors may add attributes later: until then it is not cached. */
function sanitizeResource(resource: Resource): Resource {
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

function sanitizeEvent(event: TimedEvent): TimedEvent {
  const name = clean.redacted(NAME, event.name, redactName)
  return event.attributes === undefined
    ? { ...event, name }
    : { ...event, name, attributes: sanitizeOutgoing(event.attributes).attributes }
}

/** An app's own link may have none: an exporter that serializes it loses the whole batch. */
function hasContext(link: Partial<Link> | null | undefined): boolean {
  const { traceId, spanId } = link?.context ?? {}
  return typeof traceId === "string" && typeof spanId === "string"
}

function sanitizeLink(link: Link): Link {
  return link.attributes === undefined ? link : { ...link, attributes: sanitizeOutgoing(link.attributes).attributes }
}
