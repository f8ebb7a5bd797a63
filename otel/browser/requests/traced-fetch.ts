import type { Span } from "@opentelemetry/api"
import { quietly } from "../quietly.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { patch } from "./patch.ts"
import { noteFailure, noteResponse } from "./request-span.ts"
import type { ResponseEnds } from "./response-ends.ts"
import { type RequestTracing, type TracedRequest, traceRequest } from "./traced-request.ts"

type Fetch = typeof globalThis.fetch

interface TracedCall extends TracedRequest {
  readonly args: FetchArguments
  readonly request: OutgoingRequest
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
        if (call?.span !== undefined) follow(tracing, ends, call, call.span, answer)
        return answer
      },
  )
}

function prepare(tracing: RequestTracing, [input, init]: FetchArguments): TracedCall | undefined {
  try {
    const request = readRequest([input, init])
    if (request === undefined) return undefined
    const traced = traceRequest(tracing, request)
    if (traced.context !== undefined) {
      const { headers } = request
      tracing.propagator.inject(traced.context, headers, { set: (_carrier, key, value) => headers.append(key, value) })
      init = { ...init, headers }
    }
    return { ...traced, request, args: [input, init] }
  } catch {
    // Whatever is odd about this call, it is the page's, and goes out as it came.
    return undefined
  }
}

function follow(
  { clock }: RequestTracing,
  ends: ResponseEnds,
  { request, root, startedAt }: TracedCall,
  span: Span,
  answer: Promise<Response>,
): void {
  const onAnswer = ({ status }: Response) => {
    const now = clock.now()
    noteResponse(span, status)
    if (request.kind === "api") root?.settleChild(span, now)
    ends.whenEnded(request.url.href, startedAt, now, (endedAt) => span.end(endedAt))
  }
  const onFailure = (error: unknown) => {
    noteFailure(span, error instanceof Error ? error.name : "unknown")
    span.end(clock.now())
  }
  answer.then(
    (response) => quietly(() => onAnswer(response)),
    (error: unknown) => quietly(() => onFailure(error)),
  )
}
