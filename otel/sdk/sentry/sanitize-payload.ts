import { type AttributeValue, SpanStatusCode } from "@opentelemetry/api"
import { type Breadcrumb, type Event, normalize } from "@sentry/core"
import { redactAddress } from "../../protocol/redact.ts"
import { redactObject, redactValue } from "./sanitize-attributes.ts"
import { spanStatus } from "./span-mapping.ts"
import type { ChildSpan, TraceContext, TraceLink, Transaction, TransactionPayload } from "./transaction-payload.ts"
import { measurements } from "./vitals.ts"

/**
 * Prepares a page's transaction for Sentry: removes queries and secrets, as `sanitizeSpan` does on a server, maps the app's own
 * spans to Sentry's operations and statuses, and sets the measurements.
 */
export function sanitizePayload(transaction: Transaction): Transaction {
  const { payload } = transaction
  const { trace } = payload.contexts
  const measured = measurements(trace.data, payload.spans)
  const outgoing: TransactionPayload = {
    ...payload,
    transaction: redactAddress(payload.transaction),
    contexts: {
      ...payload.contexts,
      otel: { resource: redactObject(payload.contexts.otel.resource) },
      trace: mapped(trace),
    },
    ...(measured && { measurements: measured }),
    spans: payload.spans.map((span) => mapped(withAddresses(span, "description"))),
  }
  return { ...transaction, payload: outgoing }
}

/** A page only sends requests, so a span with a request method is a client span. */
function mapped<Span extends TraceContext | ChildSpan>(span: Span): Span {
  const data = redactObject(span.data)
  const code = span.status === "ok" ? SpanStatusCode.UNSET : SpanStatusCode.ERROR
  const isRequest = "http.request.method" in data || "http.method" in data
  return {
    ...(isRequest && { op: "http.client" }),
    ...span,
    status: spanStatus({ code }, data),
    data,
    ...(span.links && { links: span.links.map(sanitizeLink) }),
  }
}

function sanitizeLink(link: TraceLink): TraceLink {
  return { ...link, ...(link.attributes && { attributes: redactObject(link.attributes) }) }
}

type Exception = NonNullable<NonNullable<Event["exception"]>["values"]>[number]
type Frame = NonNullable<NonNullable<Exception["stacktrace"]>["frames"]>[number]
type DebugImage = NonNullable<NonNullable<Event["debug_meta"]>["images"]>[number] & { code_file?: string | null }

/** Sentry's own default for `normalizeDepth`. */
const DEPTH = 3
/** Properties of an object or an array that Sentry sends: its own default for `normalizeMaxBreadth`. */
const BREADTH = 1_000

/**
 * Removes queries and credentials from the texts of an error event, as on the span where the error occurred. Frames lose the
 * query of their file name too: an inline script has the page's URL, and Sentry finds source maps by the bare file name. Objects
 * in breadcrumbs are redacted as Sentry is about to send them. Tags, user and extra belong to the app and stay as they are.
 *
 * @param depth levels of an object that Sentry sends.
 */
export function redactEvent(event: Event, depth = DEPTH): Event {
  if (event.type !== undefined) return event
  const { exception, breadcrumbs, debug_meta, request } = event
  return {
    ...withAddresses(event, "message", "transaction"),
    ...(request && { request: withAddresses(request, "url") }),
    ...(exception?.values && { exception: { ...exception, values: exception.values.map(redactException) } }),
    ...(breadcrumbs && { breadcrumbs: breadcrumbs.map((each) => redactBreadcrumb(each, depth)) }),
    ...(debug_meta?.images && { debug_meta: { ...debug_meta, images: debug_meta.images.map(redactImage) } }),
  }
}

/** A copy of an object as deep and as broad as Sentry's client sends it. */
export function normalized<Value>(value: Value, depth = DEPTH): Value {
  return normalize(value, depth, BREADTH) as Value
}

/** Where Sentry puts an object that was thrown. */
const THROWN = "__serialized__"

/**
 * The same on a server, with the parameters of a message (`Sentry.parameterize`), and an object that was thrown.
 *
 * @param normalizeDepth the client's option; 0 cuts nothing in Sentry, and `DEPTH` here.
 */
export function redactServerEvent(event: Event, normalizeDepth?: number): Event {
  if (event.type !== undefined) return event
  const depth = normalizeDepth || DEPTH
  const { logentry, extra } = event
  return {
    ...redactEvent(event, depth),
    ...(logentry && { logentry: redactObject(normalized(logentry, depth)) }),
    ...(extra &&
      THROWN in extra && { extra: { ...extra, [THROWN]: redactValue("", extra[THROWN] as AttributeValue) } }),
  }
}

/** A copy in which the texts with these names are redacted as addresses. */
function withAddresses<Part extends object>(part: Part, ...names: readonly (keyof Part)[]): Part {
  const copy = { ...part }
  for (const name of names) if (copy[name]) copy[name] = redactAddress(copy[name] as string) as Part[keyof Part]
  return copy
}

function redactException(exception: Exception): Exception {
  const { stacktrace } = exception
  return {
    ...withAddresses(exception, "value"),
    ...(stacktrace?.frames && { stacktrace: { ...stacktrace, frames: stacktrace.frames.map(redactFrame) } }),
  }
}

function redactFrame(frame: Frame): Frame {
  return withAddresses(frame, "filename", "abs_path")
}

function redactBreadcrumb(breadcrumb: Breadcrumb, depth: number): Breadcrumb {
  const { data } = breadcrumb
  return {
    ...withAddresses(breadcrumb, "message"),
    ...(data && { data: redactObject(normalized(data, depth)) }),
  }
}

function redactImage(image: DebugImage): DebugImage {
  return withAddresses(image, "code_file")
}
