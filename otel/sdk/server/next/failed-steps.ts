import { type Attributes, type Context, type Exception, type Span, trace } from "@opentelemetry/api"
import type { ReadableSpan, Span as StartedSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { isFrameworkSignal } from "../../framework-signals.ts"
import { processState } from "../../process-state.ts"
import { digestOf, ERROR_DIGEST } from "../../sentry/error-digest.ts"
import { withClassNames } from "../../sentry/span-outcome.ts"

/** Failed steps that are remembered for a span: the newest. A request has one or two, unless the app catches their errors. */
const STEP_LIMIT = 20

interface Steps {
  /** The span that Next was in when it began a step, by the step's span. */
  readonly parents: WeakMap<object, Span>
  /** Ended steps that recorded an exception, by each span of Next that they are below. */
  readonly failed: WeakMap<object, ReadableSpan[]>
}

const state = processState<Steps>("next-steps")

function steps(): Steps {
  return (state.value ??= { parents: new WeakMap(), failed: new WeakMap() })
}

/**
 * Follows the steps of a request, which are Next's own spans, and which of them recorded an exception. Removes stand-ins for an
 * exception that is recorded too, and names those for control flow. Names other exceptions by their class.
 */
export class FailedSteps implements SpanProcessor {
  onStart(span: StartedSpan, parentContext: Context): void {
    if (span.attributes["next.span_type"] === undefined) return
    nameExceptions(span)
    const parent = trace.getSpan(parentContext)
    if (parent?.isRecording() === true) steps().parents.set(span, parent)
  }

  onEnd(span: ReadableSpan): void {
    removeStandIns(span)
    if (!span.events.some(({ name }) => name === "exception")) return
    const { failed } = steps()
    for (const above of spansAbove(span)) failed.set(above, [...(failed.get(above) ?? []), span].slice(-STEP_LIMIT))
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** The spans above one of Next's, the nearest first, up to the first that is not Next's own. */
export function* spansAbove(span: object): Generator<Span> {
  const { parents } = steps()
  for (let above = parents.get(span); above !== undefined; above = parents.get(above)) yield above
}

/**
 * The active span, or the nearest one above it that has not ended. Next 15 ends the span of a render when the page's shell is
 * ready, while a component that streams later may still fail.
 */
export function openSpan(): Span | undefined {
  const active = trace.getActiveSpan()
  const { parents } = steps()
  for (let span = active; span !== undefined; span = parents.get(span)) if (span.isRecording()) return span
  return active
}

/**
 * Digests with which Next ends a static render, to render for each request instead. In a page that it makes once for all
 * visitors it cannot, and the request fails. Only then does it pass such an error to `onRequestError`.
 */
export const ENDED_RENDERS: ReadonlySet<string> = new Set(["DYNAMIC_SERVER_USAGE", "BAILOUT_TO_CLIENT_SIDE_RENDERING"])

/**
 * The ended step below a span on which Next has recorded this error, such as the run of a route handler. There is none for an error
 * with a digest of its own, by which the page's error is found: an ended span takes none.
 */
export function failedStep(span: Span, error: unknown): Span | undefined {
  const digest = digestOf(error)
  if (!(error instanceof Error) || (digest !== undefined && !ENDED_RENDERS.has(digest))) return undefined
  const step = steps()
    .failed.get(span)
    ?.findLast((each) => recordedEvent(each, error) !== undefined)
  return step as (ReadableSpan & Span) | undefined
}

/**
 * How the message begins that React's client gets in production in place of a server component's own. A server that renders HTML
 * is such a client.
 */
const STAND_IN = "An error occurred in the Server Components render."
/** In development it gets a copy of the error, with these addresses in its stack. */
const COPIED_FRAME = "about://React/Server/"

/**
 * Next 15 records the stand-in on the span of a render, beside the error that has the digest, or above the step that failed. The
 * status and the `error.type` of the span are those of the exception that it records last.
 */
function removeStandIns(span: ReadableSpan): void {
  const { attributes: ofSpan, events, status } = span
  const standIns = events.filter(
    ({ attributes = {} }) => attributes[ERROR_DIGEST] === undefined && isStandIn(attributes),
  )
  if (standIns.length === 0) return
  const error =
    events.find(({ attributes = {} }) => attributes[ERROR_DIGEST] !== undefined && !isStandIn(attributes))
      ?.attributes ?? metadataError(span)
  if (error === undefined) return
  for (const each of standIns) events.splice(events.indexOf(each), 1)
  if (!isStandInText(status.message)) return
  Object.assign(status, { message: error["exception.message"] })
  ofSpan["error.type"] = error["exception.type"]
}

function isStandIn({ "exception.message": message, "exception.stacktrace": stack }: Attributes): boolean {
  return isStandInText(message) || String(stack).includes(COPIED_FRAME)
}

function isStandInText(message: unknown): boolean {
  return typeof message === "string" && message.startsWith(STAND_IN)
}

/**
 * With this message a page with `dynamicParams = false` refuses parameters that it does not list. Next then looks for another route,
 * in a request span of its own, and answers with the 404 page if there is none.
 */
const REFUSED_PARAMS = "Internal: NoFallbackError"
const NOT_FOUND = "NEXT_HTTP_ERROR_FALLBACK;404"

/**
 * Gives a span the name of the control flow that its stand-in stands for. A `notFound()` or `redirect()` of a function with
 * `use cache` reaches the page, `generateMetadata` and the render as a stand-in with the digest, which a span does not record.
 * OpenTelemetry's SDK would name another exception by its `code`, such as tRPC's.
 */
function nameExceptions(span: Span): void {
  const { recordException } = span
  span.recordException = (exception, time) => {
    const signal = signalOf(exception)
    if (signal === undefined) return recordException.call(span, withoutCode(exception), time)
    const { setStatus } = span
    // Next sets it afterwards, with the message of the stand-in.
    span.setStatus = (status) =>
      setStatus.call(span, standsForSignal(status.message) ? { ...status, message: signal } : status)
    // Next has set 200, with which each response begins.
    if (isRefusal(exception)) span.setAttribute("http.status_code", 404)
    recordException.call(span, { name: "Error", message: signal }, time)
  }
}

function withoutCode(exception: Exception): Exception {
  if (!(exception instanceof Error)) return exception
  const { name, message, stack } = exception
  return stack === undefined ? { name, message } : { name, message, stack }
}

function standsForSignal(message: unknown): boolean {
  return isStandInText(message) || message === REFUSED_PARAMS
}

function isRefusal(exception: unknown): boolean {
  return exception instanceof Error && exception.message === REFUSED_PARAMS
}

/** The signal that a stand-in stands for, without the address of a redirect. */
function signalOf(exception: unknown): string | undefined {
  if (isRefusal(exception)) return NOT_FOUND
  const digest = digestOf(exception)
  if (digest === undefined || !isFrameworkSignal(digest) || ENDED_RENDERS.has(digest)) return undefined
  if (!(exception instanceof Error) || !isStandInText(exception.message)) return undefined
  return digest.startsWith("NEXT_REDIRECT") ? "NEXT_REDIRECT" : digest
}

/** The exception of `generateMetadata` or `generateViewport` below a span. */
function metadataError(span: object): Attributes | undefined {
  const step = steps()
    .failed.get(span)
    ?.findLast(({ attributes }) => String(attributes["next.span_type"]).startsWith("ResolveMetadata."))
  return step && withClassNames(step).find(({ name }) => name === "exception")?.attributes
}

/** The error itself, where Next 15 reports the stand-in for one of `generateMetadata` or `generateViewport`. */
export function withoutStandIn(error: unknown, span: Span | undefined): unknown {
  if (!(error instanceof Error) || span === undefined || !error.message.startsWith(STAND_IN)) return error
  const recorded = metadataError(span)
  if (recorded === undefined) return error
  const { "exception.type": name, "exception.message": message, "exception.stacktrace": stack } = recorded
  return Object.assign(new Error(String(message ?? "")), { name, stack, digest: digestOf(error) })
}

/** The attributes of the event with which Next has recorded this error. The span's limits may have cut its texts. */
export function recordedEvent({ events = [] }: Partial<ReadableSpan>, error: Error): Attributes | undefined {
  const { message, stack = "" } = error
  return events.findLast(({ name, attributes = {} }) => {
    if (name !== "exception" || attributes[ERROR_DIGEST] !== undefined) return false
    const recorded = String(attributes["exception.stacktrace"] ?? "")
    return (
      recorded !== "" && stack.startsWith(recorded) && message.startsWith(String(attributes["exception.message"] ?? ""))
    )
  })?.attributes
}
