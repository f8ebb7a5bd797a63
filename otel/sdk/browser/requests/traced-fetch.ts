import { safely } from "../../../protocol/safely.ts"
import { type FetchArguments, readRequest } from "./outgoing-request.ts"
import type { Fetch, RequestTracing, TracedRequest } from "./traced-request.ts"

/**
 * Sends a request of the page and traces it. The body of a response is never read. It keeps the root open only for the router's
 * own requests, whose end is the page.
 *
 * @param native the page's own `fetch`.
 */
export function sendFetch(
  tracing: RequestTracing,
  native: Fetch,
  self: unknown,
  [input, init]: FetchArguments,
): Promise<Response> | undefined {
  let href: string
  let traced: TracedRequest
  try {
    const request = readRequest([input, init])
    if (request === undefined) return undefined
    href = request.url.href
    traced = new tracing.Fetched(tracing, request)
    // What an object inherits, as a `Request` does, is not in a copy of it.
    if (traced.context !== undefined && (init?.constructor ?? Object) === Object) {
      const { headers } = request
      // Sentry's SDK may have written the same trace with the page's root as the parent. The parent is this request's span.
      headers.delete("sentry-trace")
      const set = (_carrier: unknown, name: string, value: string) =>
        headers.get(name)?.includes(value) || headers.append(name, value)
      tracing.propagator.inject(traced.context, headers, { set })
      // A request that is sent with options loses these two.
      const { referrer, referrerPolicy } = input as Request
      init = { referrer, referrerPolicy, ...init, headers }
    }
  } catch {
    // The page's call goes out unchanged, whatever is wrong with it.
    return undefined
  }
  // What replaces `fetch` in a test may return anything. Of a failure that the page does not handle, its browser reports this promise
  // alone.
  return Promise.resolve(traced.send(native, self, [input, init])).then(
    (response) => {
      safely(() => {
        const now = performance.now()
        traced.responded(response, now)
        tracing.ends.whenEnded(href, traced.startedAt, now, (endedAt) => traced.ended(endedAt))
      })
      return response
    },
    (error: unknown) => {
      safely(() => {
        const { name = "unknown" } = Object(error) as Partial<Error>
        // The page may abort for a reason of its own, of any type. A timeout is a failure.
        const signal = init?.signal ?? (input as Request).signal
        traced.failed(signal?.aborted && name !== "TimeoutError" ? "AbortError" : name, performance.now())
      })
      throw error
    },
  )
}
