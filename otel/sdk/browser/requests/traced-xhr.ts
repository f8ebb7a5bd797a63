import { safely } from "../../../protocol/safely.ts"
import { addressedTo } from "./outgoing-request.ts"
import { type RequestTracing, TracedRequest } from "./traced-request.ts"

/** All but the first end a request, and so does the first with the whole response. A page may use one object for many. */
const EVENTS = ["readystatechange", "error", "timeout", "abort"] as const

type XhrEvent = Pick<Event, "type" | "timeStamp">

/** A request of an `XMLHttpRequest` that was opened. */
export interface XhrCall {
  readonly args: readonly [method: string, url: string]
  /** Headers that the page's own code has set. */
  readonly headers: Headers
  /** Only while the request is in flight. */
  onEvent?(event: XhrEvent): void
}

/**
 * Traces a request that is about to be sent, by the rules of `fetch`: the root waits for the head of the response, and the body is
 * not read.
 */
export function beginXhr(tracing: RequestTracing, xhr: XMLHttpRequest, call: XhrCall): void {
  const [method, url] = call.args
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
  const onEvent = ({ type, timeStamp: at }: XhrEvent) =>
    safely(() => {
      const { readyState, status } = xhr
      // A request that has failed has no status.
      if (status > 0) traced.responded(xhr, at)
      const isLoaded = status > 0 && readyState === 4
      if (type === "readystatechange" && !isLoaded) return
      delete call.onEvent
      for (const each of EVENTS) xhr.removeEventListener(each, onEvent)
      if (isLoaded) traced.ended(at)
      else traced.failed(type === "abort" ? "AbortError" : type, at)
    })
  call.onEvent = onEvent
  for (const type of EVENTS) xhr.addEventListener(type, onEvent)
}
