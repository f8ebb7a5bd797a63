import { type AttributeValue, type Attributes, SpanStatusCode } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Client } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"

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
