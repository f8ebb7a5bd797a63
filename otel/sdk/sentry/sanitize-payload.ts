import { type Attributes, SpanStatusCode } from "@opentelemetry/api"
import type { Breadcrumb, Event } from "@sentry/core"
import { redactAddress } from "../../protocol/redact.ts"
import { sanitizeAttributes } from "./sanitize-attributes.ts"
import { spanStatus } from "./span-mapping.ts"
import type { TraceContext, Transaction, TransactionPayload } from "./transaction.ts"
import { measurements } from "./vitals.ts"

/**
 * A page's transaction as it leaves: without queries and secrets, as `sanitizeSpan` makes each span of a server, in
 * Sentry's words also where the app itself made the span, and with the vitals where Sentry looks for them.
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
      trace: { ...trace, ...inWords(trace), ...cleanLinks(trace) },
    },
    ...(measured === undefined ? {} : { measurements: measured }),
    spans: payload.spans.map((span) => ({
      ...span,
      description: redactAddress(span.description),
      ...inWords(span),
      ...cleanLinks(span),
    })),
  }
  return { ...transaction, payload: outgoing }
}

interface Worded {
  readonly op?: string
  readonly status: string
  readonly data: Attributes
}

/** A page asks and never answers, so that a span with a request is a client's. */
function inWords({ op, status, data }: Worded): Worded {
  const { attributes } = sanitizeAttributes(data)
  const code = status === "ok" ? SpanStatusCode.UNSET : SpanStatusCode.ERROR
  const isRequest = "http.request.method" in attributes || "http.method" in attributes
  const word = op ?? (isRequest ? "http.client" : undefined)
  return { ...(word === undefined ? {} : { op: word }), status: spanStatus({ code }, attributes), data: attributes }
}

function cleanLinks({ links }: Pick<TraceContext, "links">): Pick<TraceContext, "links"> {
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
 * An error event as it leaves: its texts without queries and credentials, as the span says them on which it happened. A
 * script in the page itself has the page's address, and Sentry finds the source map of a frame by its file's name, so that
 * both lose what follows it. What an app says by tags, user and extra is its own.
 */
export function redactEvent(event: Event): Event {
  if (event.type !== undefined) return event
  const { message, transaction, exception, breadcrumbs, debug_meta } = event
  return {
    ...event,
    ...(message === undefined ? {} : { message: redactAddress(message) }),
    ...(transaction === undefined ? {} : { transaction: redactAddress(transaction) }),
    ...(exception?.values === undefined ? {} : { exception: { ...exception, values: exception.values.map(scrubbed) } }),
    ...(breadcrumbs === undefined ? {} : { breadcrumbs: breadcrumbs.map(scrubbedBreadcrumb) }),
    ...(debug_meta?.images === undefined
      ? {}
      : { debug_meta: { ...debug_meta, images: debug_meta.images.map(scrubbedImage) } }),
  }
}

function scrubbed(exception: Exception): Exception {
  const { value, stacktrace } = exception
  return {
    ...exception,
    ...(value === undefined ? {} : { value: redactAddress(value) }),
    ...(stacktrace?.frames === undefined
      ? {}
      : { stacktrace: { ...stacktrace, frames: stacktrace.frames.map(scrubbedFrame) } }),
  }
}

function scrubbedFrame(frame: Frame): Frame {
  const { filename, abs_path } = frame
  return {
    ...frame,
    ...(filename === undefined ? {} : { filename: redactAddress(filename) }),
    ...(abs_path === undefined ? {} : { abs_path: redactAddress(abs_path) }),
  }
}

function scrubbedBreadcrumb(breadcrumb: Breadcrumb): Breadcrumb {
  const { message, data } = breadcrumb
  return {
    ...breadcrumb,
    ...(message === undefined ? {} : { message: redactAddress(message) }),
    ...(data === undefined ? {} : { data: sanitizeAttributes(data as Attributes).attributes }),
  }
}

function scrubbedImage(image: DebugImage): DebugImage {
  return image.type === "sourcemap" ? { ...image, code_file: redactAddress(image.code_file) } : image
}
