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
): Promise<Response> {
  const call = prepare(tracing, args)
  if (call === undefined) return Reflect.apply(native, self, args)
  const response = call.traced.send(native, self, call.args)
  follow(tracing, call, response)
  return response
}

function prepare(tracing: RequestTracing, [input, init]: FetchArguments): TracedCall | undefined {
  try {
    const request = readRequest([input, init])
    if (request === undefined) return undefined
    const traced = new (tracing.Fetched ?? TracedRequest)(tracing, request)
    if (traced.context !== undefined) {
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

function follow(tracing: RequestTracing, { request, traced }: TracedCall, response: Promise<Response>): void {
  const onResponse = ({ status }: Response) => {
    const now = pageClock.now()
    traced.responded(status, now)
    tracing.ends.whenEnded(request.url.href, traced.startedAt, now, (endedAt) => traced.ended(endedAt))
  }
  const onFailure = (error: unknown) => traced.failed(error instanceof Error ? error.name : "unknown", pageClock.now())
  response.then(
    (each) => safely(() => onResponse(each)),
    (error: unknown) => safely(() => onFailure(error)),
  )
}
