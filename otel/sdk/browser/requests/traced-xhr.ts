import { safely } from "../../../protocol/safely.ts"
import { addressedTo } from "./outgoing-request.ts"
import { type RequestTracing, TracedRequest } from "./traced-request.ts"

/** All but the first end a request. A page may use one object for many. */
const EVENTS = ["readystatechange", "load", "error", "timeout", "abort"] as const

/** A request of an `XMLHttpRequest` that was opened. */
export interface XhrCall {
  readonly args: readonly string[]
  /** Headers that the page's own code has set. */
  readonly headers: Headers
  onEvent?(event: Pick<Event, "type" | "timeStamp">): void
}

/**
 * Traces a request that is about to be sent, by the rules of `fetch`: the root waits for the head of the response, and the body is
 * not read.
 */
export function beginXhr(tracing: RequestTracing, xhr: XMLHttpRequest, call: XhrCall): void {
  const [method = "", url = ""] = call.args
  const request = addressedTo(url, method, call.headers)
  if (request === undefined) return
  const traced = new TracedRequest(tracing, request)
  const { context } = traced
  // The browser appends to a header that is already set. Those of Sentry's SDK name the same trace.
  const isWritten = call.headers.has("sentry-trace")
  const set = (_carrier: unknown, name: string, value: string) => {
    if (!isWritten || name === "traceparent") xhr.setRequestHeader(name, value)
  }
  if (context !== undefined) tracing.propagator.inject(context, xhr, { set })
  const onEvent = ({ type, timeStamp: at }: Pick<Event, "type" | "timeStamp">) =>
    safely(() => {
      const { readyState, status } = xhr
      // Reopening aborts the request in flight, without another event.
      if (type === "readystatechange" && readyState !== 1)
        return void (readyState === 2 && traced.responded(status, at))
      for (const each of EVENTS) xhr.removeEventListener(each, onEvent)
      if (type !== "load") return traced.failed(type === "error" || type === "timeout" ? type : "AbortError", at)
      // A synchronous request has no other event.
      traced.responded(status, at)
      traced.ended(at)
    })
  call.onEvent = onEvent
  for (const type of EVENTS) xhr.addEventListener(type, onEvent)
}
