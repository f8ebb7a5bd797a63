import { type Context, createContextKey, SpanStatusCode } from "@opentelemetry/api"
import type { Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { subscribe } from "node:diagnostics_channel"
import type { IncomingMessage, ServerResponse } from "node:http"
import { safely } from "../../../protocol/safely.ts"
import { isRequestSpan } from "../../routes/request-span.ts"

const RESPONSE = createContextKey("pagespan.response")
/** After the connection has closed. Next ends the spans of most requests within milliseconds, and knows more about them. */
const GRACE_MS = 1_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** By the headers of the request, which is all that Next passes to a propagator. */
const exchanges = new WeakMap<object, Exchange>()

/** Watches the requests that HTTP servers of this process receive from now on. */
export function watchResponses(): void {
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as Exchange
    safely(() => exchanges.set(request.headers, { request, response }))
  })
}

/** Stores in the context of a request the response that it gets. */
export function withResponse(context: Context, headers: unknown): Context {
  const exchange = exchanges.get(headers as object)
  return exchange === undefined ? context : context.setValue(RESPONSE, exchange)
}

/**
 * Ends the spans of requests that Next never ends. If the client goes away after Next has ended a response, and before compression
 * has passed that on, Next waits for an event that never comes (`finished` in `next/dist/server/pipe-readable.js`), and the span
 * would be lost. It ends when the connection closed.
 */
export class AbandonedResponses implements SpanProcessor {
  onStart(span: Span, parentContext: Context): void {
    const exchange = parentContext.getValue(RESPONSE) as Exchange | undefined
    if (exchange === undefined || !isRequestSpan(span.attributes)) return
    const { response } = exchange
    // Node warns of the eleventh, and Next, Sentry and the app may have ten.
    const limit = response.getMaxListeners()
    if (limit > 0) response.setMaxListeners(limit + 1)
    response.once("close", () => safely(() => endLater(span, exchange)))
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

function endLater(span: Span, { request, response }: Exchange): void {
  // Before its head is sent, Next or the app is still at work, and Next sends nothing to a closed connection.
  if (response.writableFinished || !response.headersSent) return
  const closedAt = Date.now()
  const end = () => {
    if (!span.isRecording()) return
    const { method = "" } = request
    const { statusCode } = response
    const isData = request.headers["rsc"] === "1"
    span.updateName(isData ? `RSC ${method}` : method)
    span.setAttributes({ "http.status_code": statusCode, "next.rsc": isData })
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(closedAt)
  }
  setTimeout(() => safely(end), GRACE_MS).unref()
}
