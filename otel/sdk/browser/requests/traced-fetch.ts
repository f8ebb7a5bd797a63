import { safely } from "../../../protocol/safely.ts"
import { pageClock } from "../clock.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { type Fetch, type RequestTracing, TracedRequest } from "./traced-request.ts"

interface TracedCall {
  readonly args: FetchArguments
  readonly request: OutgoingRequest
  readonly traced: TracedRequest
}

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
  args: FetchArguments,
): Promise<Response> | undefined {
  const call = prepare(tracing, args)
  return call && follow(tracing, call, call.traced.send(native, self, call.args))
}

function prepare(tracing: RequestTracing, [input, init]: FetchArguments): TracedCall | undefined {
  try {
    const request = readRequest([input, init])
    if (request === undefined) return undefined
    const traced = new (tracing.Fetched ?? TracedRequest)(tracing, request)
    // What an object inherits, as a `Request` does, is not in a copy of it.
    if (traced.context !== undefined && (init?.constructor ?? Object) === Object) {
      const { headers } = request
      // Sentry's SDK may have written the same trace with the page's root as the parent. The parent is this request's span.
      headers.delete("sentry-trace")
      const set = (_carrier: unknown, name: string, value: string) =>
        headers.get(name)?.includes(value) || headers.append(name, value)
      tracing.propagator.inject(traced.context, headers, { set })
      init = { ...init, headers }
    }
    return { traced, request, args: [input, init] }
  } catch {
    // The page's call goes out unchanged, whatever is wrong with it.
    return undefined
  }
}

/** The same response, also for a page that handles no failure: its browser reports a promise that nobody else listens to. */
function follow(
  tracing: RequestTracing,
  { request, traced }: TracedCall,
  response: Promise<Response>,
): Promise<Response> {
  // What replaces `fetch` in a test may return anything.
  return Promise.resolve(response).then(
    (each) => {
      safely(() => {
        const now = pageClock.now()
        traced.responded(each.status, now)
        tracing.ends.whenEnded(request.url.href, traced.startedAt, now, (endedAt) => traced.ended(endedAt))
      })
      return each
    },
    (error: unknown) => {
      safely(() => traced.failed((error as Error | undefined)?.name ?? "unknown", pageClock.now()))
      throw error
    },
  )
}
