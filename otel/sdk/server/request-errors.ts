import {
  type Attributes,
  type AttributeValue,
  context as otelContext,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Client } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"
import type { Instrumentation } from "next"
import { routeOf } from "../routes/route-of-file.ts"
import { publicAddress } from "../routes/served-paths.ts"
import { digestOf, ERROR_DIGEST, textOf } from "../sentry/error-digest.ts"
import { sanitizeOutgoing } from "../sentry/sanitize-attributes.ts"
import { withClassNames } from "../sentry/span-outcome.ts"
import { transactionRequest } from "../sentry/transaction-sender.ts"
import { ENDED_RENDERS, failedStep, openSpan, recordedEvent, withoutStandIn } from "./next/failed-steps.ts"
import { headerAttributes } from "./request-context.ts"

type RequestError = Parameters<Instrumentation.onRequestError>

/**
 * Records an error as an `exception` event, once: on the step of the request in which it happened, if Next has recorded it there,
 * else on the span that runs. Sends it to Sentry as an error of that span.
 */
export function reportRequestError(given: RequestError[0], request: RequestError[1], context: RequestError[2]): void {
  const running = openSpan()
  const error = withoutStandIn(given, running)
  running?.setStatus({ code: SpanStatusCode.ERROR })
  const span = (running && failedStep(running, error)) ?? running
  recordError(span, error, textOf(error))
  // `ProxyErrors` reports errors of the proxy, because Next does not pass them here in every runtime.
  if (Sentry.getClient() === undefined || context.routeType === "proxy") return
  const active = otelContext.active()
  const ofSpan = span === undefined ? active : trace.setSpan(active, span)
  otelContext.with(ofSpan, () => sendToSentry(error, request, context))
}

function sendToSentry(error: RequestError[0], request: RequestError[1], context: RequestError[2]): void {
  const { headers = {} } = sanitizedRequest(request) ?? {}
  const routePath = routeOf(context.routePath)
  const path = publicAddress(request.path.split(/[?#]/, 1)[0] ?? request.path, routePath)
  Sentry.withScope((scope) => {
    const digest = digestOf(error)
    const isSignal = digest !== undefined && ENDED_RENDERS.has(digest)
    if (isSignal) scope.setTag(ERROR_DIGEST, digest)
    const failure = isSignal ? withoutDigest(error) : error
    Sentry.captureRequestError(failure, { ...request, path, headers }, { ...context, routePath })
  })
}

/** Without the digest of an ended render, which the default filters would take for a signal. */
function withoutDigest(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack = "", cause } = error
  return Object.assign(new Error(message, { cause }), { name, stack })
}

/** The request, sanitized like its span: a header may hold a URL with a query. */
function sanitizedRequest({ method, headers }: RequestError[1]) {
  const attributes = { "http.method": method, ...headerAttributes((name) => headers[name]) }
  return transactionRequest(sanitizeOutgoing(attributes).attributes)
}

/**
 * Records an error on a span as an `exception` event, as `recordException` does, with Next's digest if it has one. An error that
 * Next has recorded on the span gets the digest there, so that it counts once.
 *
 * @param text recorded for a thrown value that is no `Error`.
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
 */
export function recordError(span: Span | undefined, thrown: unknown, text: string): void {
  if (!(thrown instanceof Error)) return span?.recordException(text)
  const digest = digestOf(thrown)
  const ofDigest = digest === undefined ? {} : { [ERROR_DIGEST]: digest }
  const recorded = span && recordedEvent(span as Partial<ReadableSpan>, thrown)
  if (recorded !== undefined) return void Object.assign(recorded, ofDigest)
  // `recordException` would name an error that has a `code` by that.
  span?.addEvent("exception", {
    "exception.type": thrown.name,
    "exception.message": thrown.message,
    "exception.stacktrace": thrown.stack ?? "",
    ...ofDigest,
  })
}

const PROXY_SPAN_TYPE = "Middleware.execute"

/** Whether these are the attributes of the span that runs `proxy.ts`. */
export function isProxySpan(attributes: Attributes): boolean {
  return attributes["next.span_type"] === PROXY_SPAN_TYPE
}

/** The context that Next would have passed to `onRequestError`, by Next's names. */
const PROXY_CONTEXT = { router_kind: "Pages Router", router_path: "/proxy", route_type: "proxy" }

/**
 * Reports errors of `proxy.ts`, from the `exception` event of the span that ran it. In the Node runtime, Next 16 calls
 * `onRequestError` of an edge bundle that does not exist there, so it would not be called.
 */
export class ProxyErrors implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (!isProxySpan(span.attributes) || span.status.code !== SpanStatusCode.ERROR) return
    const client = Sentry.getClient()
    if (client === undefined) return
    const exception = withClassNames(span).find(({ name }) => name === "exception")?.attributes
    if (exception !== undefined) reportProxyError(client, span, exception)
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

function reportProxyError(client: Client, span: ReadableSpan, exception: Attributes): void {
  const frames = client.getOptions().stackParser(text(exception["exception.stacktrace"]))
  const scope = new Sentry.Scope()
  scope.setTransactionName(`${text(span.attributes["http.method"]) || "GET"} ${PROXY_CONTEXT.router_path}`)
  scope.setContext("nextjs", { request_path: text(span.attributes["http.target"]), ...PROXY_CONTEXT })
  const value = {
    type: text(exception["exception.type"]) || "Error",
    value: text(exception["exception.message"]),
    mechanism: { handled: false, type: "auto.function.nextjs.on_request_error" },
    ...(frames.length === 0 ? {} : { stacktrace: { frames } }),
  }
  client.captureEvent({ level: "error", exception: { values: [value] } }, { data: { span } }, scope)
}

function text(value: AttributeValue | undefined): string {
  return typeof value === "string" ? value : ""
}
