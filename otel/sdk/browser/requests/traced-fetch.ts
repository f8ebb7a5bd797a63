import { safely } from "../../safely.ts"
import { pageClock } from "../clock.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { patch } from "./patch.ts"
import { type Fetch, type RequestTracing, TracedRequest } from "./traced-request.ts"

interface TracedCall {
  readonly tracing: RequestTracing
  readonly args: FetchArguments
  readonly request: OutgoingRequest
  readonly traced: TracedRequest
}

/**
 * Traces the page's `fetch`. The body of a response is never read. It keeps the root open only for the router's own
 * requests, whose end is the page.
 *
 * @param started starts tracing with the first request.
 * @returns restores the page's own `fetch`.
 */
export function traceFetch(started: () => RequestTracing | undefined): () => void {
  return patch<"fetch", Fetch>(
    window,
    "fetch",
    (native) =>
      function (this: unknown, ...args: FetchArguments) {
        const call = prepare(started, args)
        if (call === undefined) return Reflect.apply(native, this, args)
        const response = call.traced.send(native, this, call.args)
        follow(call, response)
        return response
      },
  )
}

function prepare(started: () => RequestTracing | undefined, [input, init]: FetchArguments): TracedCall | undefined {
  try {
    const tracing = started()
    const request = readRequest([input, init])
    if (request === undefined || tracing === undefined) return undefined
    const traced = new (tracing.Fetched ?? TracedRequest)(tracing, request)
    if (traced.context !== undefined) {
      const { headers } = request
      tracing.propagator.inject(traced.context, headers, { set: (_carrier, key, value) => headers.append(key, value) })
      init = { ...init, headers }
    }
    return { tracing, traced, request, args: [input, init] }
  } catch {
    // The page's call goes out unchanged, whatever is wrong with it.
    return undefined
  }
}

function follow({ tracing, request, traced }: TracedCall, response: Promise<Response>): void {
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
