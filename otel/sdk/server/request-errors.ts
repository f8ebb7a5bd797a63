import { type Attributes, type AttributeValue, type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Client } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"
import type { Instrumentation } from "next"
import { buildManifest } from "../routes/build-manifest.ts"
import { digestOf, ERROR_DIGEST, textOf } from "../sentry/error-digest.ts"
import { sanitizeOutgoing } from "../sentry/sanitize-attributes.ts"
import { transactionRequest } from "../sentry/transaction-sender.ts"
import { headerAttributes } from "./request-context.ts"

type RequestError = Parameters<Instrumentation.onRequestError>

const FILE_OF_ROUTE = /\/(?:page|route)$/

/** Puts the error on the request's span as an `exception` event with its digest, and into Sentry on the request's trace. */
export function reportRequestError(error: RequestError[0], request: RequestError[1], context: RequestError[2]): void {
  const span = trace.getActiveSpan()
  recordError(span, error, textOf(error))
  span?.setStatus({ code: SpanStatusCode.ERROR })
  // The span that ran the proxy tells of its errors, since Next does not tell them here in every runtime.
  if (Sentry.getClient() === undefined || context.routeType === "proxy") return
  const { headers = {} } = outgoingRequest(request) ?? {}
  const path = request.path.split(/[?#]/, 1)[0] ?? request.path
  const routePath = routeOf(context.routePath)
  Sentry.captureRequestError(error, { ...request, path, headers }, { ...context, routePath })
}

/** As the span of the request tells it: a header may hold an address with a query. */
function outgoingRequest({ method, headers }: RequestError[1]) {
  const attributes = { "http.method": method, ...headerAttributes((name) => headers[name]) }
  return transactionRequest(sanitizeOutgoing(attributes).attributes)
}

/** Next names the file of a server action's page, and of what the edge runtime runs, where it names the route of all else. */
function routeOf(routePath: string): string {
  const { routes, handlers } = buildManifest()
  const served = new Set([...routes, ...handlers])
  const route = routePath.replace(FILE_OF_ROUTE, "") || "/"
  return !served.has(routePath) && served.has(route) ? route : routePath
}

/**
 * Puts an error on a span as an `exception` event, as `recordException` does, and with Next's digest where it has one.
 *
 * @param text what is told of something thrown that is no error.
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
 */
export function recordError(span: Span | undefined, thrown: unknown, text: string): void {
  const digest = digestOf(thrown)
  if (digest === undefined || !(thrown instanceof Error))
    return span?.recordException(thrown instanceof Error ? thrown : text)
  span?.addEvent("exception", {
    "exception.type": thrown.name,
    "exception.message": thrown.message,
    "exception.stacktrace": thrown.stack ?? "",
    [ERROR_DIGEST]: digest,
  })
}

const PROXY_SPAN_TYPE = "Middleware.execute"
/** Next's own names for what it would have told `onRequestError`. */
const PROXY_CONTEXT = { router_kind: "Pages Router", router_path: "/proxy", route_type: "proxy" }

/**
 * Errors of `proxy.ts`. In the Node runtime Next 16 calls `onRequestError` of an edge bundle that does not exist there, so
 * that such an error would reach nobody; the span that ran the proxy has it as an `exception` event.
 */
export class ProxyErrors implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const client = Sentry.getClient()
    if (client === undefined || span.attributes["next.span_type"] !== PROXY_SPAN_TYPE) return
    if (span.status.code !== SpanStatusCode.ERROR) return
    const exception = span.events.find(({ name }) => name === "exception")?.attributes
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
