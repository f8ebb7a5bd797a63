import { type Attributes, SpanStatusCode } from "@opentelemetry/api"
import { type Breadcrumb, type Event, normalize } from "@sentry/core"
import { redactAddress, redactAttribute } from "../../protocol/redact.ts"
import { sanitizeAttributes } from "./sanitize-attributes.ts"
import { spanStatus } from "./span-mapping.ts"
import type { TraceContext, Transaction, TransactionPayload } from "./transaction-payload.ts"
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
      otel: { resource: sanitizeAttributes(payload.contexts.otel.resource).attributes },
      trace: { ...trace, ...mapped(trace), ...sanitizeLinks(trace) },
    },
    ...(measured && { measurements: measured }),
    spans: payload.spans.map((span) => ({
      ...span,
      description: redactAddress(span.description),
      ...mapped(span),
      ...sanitizeLinks(span),
    })),
  }
  return { ...transaction, payload: outgoing }
}

interface Mappable {
  readonly op?: string
  readonly status: string
  readonly data: Attributes
}

/** A page only sends requests, so a span with a request method is a client span. */
function mapped({ op, status, data }: Mappable): Mappable {
  const { attributes } = sanitizeAttributes(data)
  const code = status === "ok" ? SpanStatusCode.UNSET : SpanStatusCode.ERROR
  const isRequest = "http.request.method" in attributes || "http.method" in attributes
  const operation = op ?? (isRequest ? "http.client" : undefined)
  return {
    ...(operation && { op: operation }),
    status: spanStatus({ code }, attributes),
    data: attributes,
  }
}

function sanitizeLinks({ links }: Pick<TraceContext, "links">): Pick<TraceContext, "links"> {
  if (links === undefined) return {}
  return {
    links: links.map((link) =>
      link.attributes === undefined ? link : { ...link, attributes: sanitizeAttributes(link.attributes).attributes },
    ),
  }
}

type Exception = NonNullable<NonNullable<Event["exception"]>["values"]>[number]
type Frame = NonNullable<NonNullable<Exception["stacktrace"]>["frames"]>[number]
type DebugImage = NonNullable<NonNullable<Event["debug_meta"]>["images"]>[number]

/**
 * Removes queries and credentials from the texts of an error event, as on the span where the error occurred. Frames lose the
 * query of their file name too: an inline script has the page's URL, and Sentry finds source maps by the bare file name. Tags,
 * user and extra belong to the app and stay as they are.
 */
export function redactEvent(event: Event): Event {
  if (event.type !== undefined) return event
  const { message, transaction, exception, breadcrumbs, debug_meta } = event
  return {
    ...event,
    ...(message && { message: redactAddress(message) }),
    ...(transaction && { transaction: redactAddress(transaction) }),
    ...(exception?.values && { exception: { ...exception, values: exception.values.map(redactException) } }),
    ...(breadcrumbs && { breadcrumbs: breadcrumbs.map(redactBreadcrumb) }),
    ...(debug_meta?.images && { debug_meta: { ...debug_meta, images: debug_meta.images.map(redactImage) } }),
  }
}

/** Levels of an object that Sentry sends: its own default for `normalizeDepth`. */
const DEPTH = 3
/** Properties of an object or an array that Sentry sends: its own default for `normalizeMaxBreadth`. */
const BREADTH = 1_000

/**
 * The same on a server, where an app also logs objects: with the objects in breadcrumbs, as Sentry is about to send them, and with
 * the parameters of a message (`Sentry.parameterize`).
 *
 * @param normalizeDepth the client's option; 0 cuts nothing in Sentry, and `DEPTH` here.
 */
export function redactServerEvent(event: Event, normalizeDepth?: number): Event {
  if (event.type !== undefined) return event
  const depth = normalizeDepth || DEPTH
  const { breadcrumbs, logentry, ...redacted } = redactEvent(event)
  return {
    ...redacted,
    ...(breadcrumbs && { breadcrumbs: breadcrumbs.map((breadcrumb) => withRedactedObjects(breadcrumb, depth)) }),
    ...(logentry && {
      logentry: redactDeep("", normalize(logentry, depth, BREADTH)) as NonNullable<Event["logentry"]>,
    }),
  }
}

function withRedactedObjects(breadcrumb: Breadcrumb, depth: number): Breadcrumb {
  const { data } = breadcrumb
  if (data === undefined) return breadcrumb
  return { ...breadcrumb, data: redactDeep("", normalize(data, depth, BREADTH)) as NonNullable<Breadcrumb["data"]> }
}

/** @param value a tree of plain objects and arrays. */
function redactDeep(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => redactDeep(key, each))
  if (typeof value === "boolean") return value
  const redacted = redactAttribute(key, value)
  if (typeof redacted !== "object" || redacted === null) return redacted
  return Object.fromEntries(Object.entries(redacted).map(([name, each]) => [name, redactDeep(name, each)]))
}

function redactException(exception: Exception): Exception {
  const { value, stacktrace } = exception
  return {
    ...exception,
    ...(value && { value: redactAddress(value) }),
    ...(stacktrace?.frames && { stacktrace: { ...stacktrace, frames: stacktrace.frames.map(redactFrame) } }),
  }
}

function redactFrame(frame: Frame): Frame {
  const { filename, abs_path } = frame
  return {
    ...frame,
    ...(filename && { filename: redactAddress(filename) }),
    ...(abs_path && { abs_path: redactAddress(abs_path) }),
  }
}

function redactBreadcrumb(breadcrumb: Breadcrumb): Breadcrumb {
  const { message, data } = breadcrumb
  return {
    ...breadcrumb,
    ...(message && { message: redactAddress(message) }),
    ...(data && { data: sanitizeAttributes(data as Attributes).attributes }),
  }
}

function redactImage(image: DebugImage): DebugImage {
  return image.type === "sourcemap" ? { ...image, code_file: redactAddress(image.code_file) } : image
}
