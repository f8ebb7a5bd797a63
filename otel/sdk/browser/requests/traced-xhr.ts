import { safely } from "../../safely.ts"
import { epochTime } from "../clock.ts"
import { addressedTo } from "./outgoing-request.ts"
import { patch } from "./patch.ts"
import { type RequestTracing, TracedRequest } from "./traced-request.ts"

interface Call {
  readonly args: readonly string[]
  /** Headers that the page's own code has set. */
  readonly headers: Headers
  onEvent?(event: Pick<Event, "type" | "timeStamp">): void
}

type Method = (...args: never[]) => void

/**
 * Traces the page's `XMLHttpRequest`s by the rules of `fetch`: the root waits for the head of the response, and the body is not
 * read.
 *
 * @param started starts tracing with the first request.
 * @returns restores the page's own methods.
 */
export function traceXhr(started: () => RequestTracing | undefined): () => void {
  const { prototype } = XMLHttpRequest
  const calls = new WeakMap<XMLHttpRequest, Call>()
  const before = (name: "open" | "setRequestHeader" | "send", note: (xhr: XMLHttpRequest, args: string[]) => void) =>
    patch<typeof name, Method>(
      prototype,
      name,
      (native) =>
        function (this: XMLHttpRequest, ...args: never[]) {
          safely(() => note(this, args))
          try {
            Reflect.apply(native, this, args)
          } catch (error) {
            // A synchronous request fails with an exception and no event.
            calls.get(this)?.onEvent?.({ type: "error", timeStamp: performance.now() })
            throw error
          }
        },
    )
  const restore = [
    before("open", (xhr, args) => calls.set(xhr, { args: args.map(String), headers: new Headers() })),
    before("setRequestHeader", (xhr, [name = "", value = ""]) => calls.get(xhr)?.headers.append(name, value)),
    before("send", (xhr) => {
      const call = calls.get(xhr)
      const tracing = started()
      if (call !== undefined && tracing !== undefined) begin(tracing, xhr, call)
    }),
  ]
  return () => restore.forEach((each) => each())
}

function begin(tracing: RequestTracing, xhr: XMLHttpRequest, call: Call): void {
  const [method = "", url = ""] = call.args
  const request = addressedTo(url, method, call.headers)
  if (request === undefined) return
  const traced = new TracedRequest(tracing, request)
  const { context } = traced
  // The browser appends to a header that is already set.
  const set = (_carrier: unknown, name: string, value: string) => xhr.setRequestHeader(name, value)
  if (context !== undefined) tracing.propagator.inject(context, xhr, { set })
  const follow = ({ type, timeStamp }: Pick<Event, "type" | "timeStamp">) => {
    const at = epochTime(timeStamp)
    const { readyState, status } = xhr
    // Reopening aborts the request in flight, without another event.
    if (type === "readystatechange" && readyState !== 1) return void (readyState === 2 && traced.responded(status, at))
    if (type !== "load") return traced.failed(type === "error" || type === "timeout" ? type : "AbortError", at)
    // A synchronous request has no other event.
    traced.responded(status, at)
    traced.ended(at)
  }
  call.onEvent = (event) => safely(() => follow(event))
  for (const type of ["readystatechange", "load", "error", "timeout", "abort"]) xhr.addEventListener(type, call.onEvent)
}
