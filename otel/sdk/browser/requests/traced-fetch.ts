import { safely } from "../../safely.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { patch } from "./patch.ts"
import type { ResponseEnds } from "./response-ends.ts"
import { type RequestTracing, TracedRequest } from "./traced-request.ts"

type Fetch = typeof globalThis.fetch

interface TracedCall {
  readonly args: FetchArguments
  readonly request: OutgoingRequest
  readonly traced: TracedRequest
}

/**
 * Traces the page's `fetch`. An answer's body never keeps the root open, but for the router's own requests, whose end is
 * the page; and a body is never read here.
 *
 * @returns puts the page's own `fetch` back.
 */
export function traceFetch(tracing: RequestTracing, ends: ResponseEnds): () => void {
  return patch<"fetch", Fetch>(
    window,
    "fetch",
    (native) =>
      function (this: unknown, ...args: FetchArguments) {
        const call = prepare(tracing, args)
        const answer = Reflect.apply(native, this, call?.args ?? args) as Promise<Response>
        if (call !== undefined) follow(tracing, ends, call, answer)
        return answer
      },
  )
}

function prepare(tracing: RequestTracing, [input, init]: FetchArguments): TracedCall | undefined {
  try {
    const request = readRequest([input, init])
    if (request === undefined) return undefined
    const traced = new TracedRequest(tracing, request)
    if (traced.context !== undefined) {
      const { headers } = request
      tracing.propagator.inject(traced.context, headers, { set: (_carrier, key, value) => headers.append(key, value) })
      init = { ...init, headers }
    }
    return { traced, request, args: [input, init] }
  } catch {
    // Whatever is odd about this call, it is the page's, and goes out as it came.
    return undefined
  }
}

function follow(
  { clock }: RequestTracing,
  ends: ResponseEnds,
  { request, traced }: TracedCall,
  answer: Promise<Response>,
): void {
  const onAnswer = ({ status }: Response) => {
    const now = clock.now()
    traced.answered(status, now)
    ends.whenEnded(request.url.href, traced.startedAt, now, (endedAt) => traced.ended(endedAt))
  }
  const onFailure = (error: unknown) => traced.failed(error instanceof Error ? error.name : "unknown", clock.now())
  answer.then(
    (response) => safely(() => onAnswer(response)),
    (error: unknown) => safely(() => onFailure(error)),
  )
}
