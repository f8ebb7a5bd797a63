import { safely } from "../../safely.ts"
import { epochTime } from "../clock.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { patch } from "./patch.ts"
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

/** Answers whose end is awaited. The oldest is ended at its head past this many. */
const AWAITED_LIMIT = 256

interface Awaited {
  readonly url: string
  readonly startedAt: number
  readonly onEnd: (endedAt: number) => void
}

/**
 * When the body of an answer had arrived, from the browser's own resource timing: reading a clone of each body would
 * hold it twice and drain streams that the page reads slowly.
 */
export class ResponseEnds {
  readonly #awaited: Awaited[] = []
  readonly #isSupported: boolean

  /** @param isSupported whether `take` will be called with resource timings. */
  constructor(isSupported: boolean) {
    this.#isSupported = isSupported
  }

  /**
   * @param startedAt when `fetch` was called, @param headAt when its answer began; milliseconds since the epoch.
   * @param onEnd called once; with `headAt` where the browser tells no more.
   */
  whenEnded(url: string, startedAt: number, headAt: number, onEnd: (endedAt: number) => void): void {
    if (!this.#isSupported) return onEnd(headAt)
    this.#awaited.push({ url: withoutFragment(url), startedAt, onEnd })
    if (this.#awaited.length > AWAITED_LIMIT) this.#awaited.shift()?.onEnd(headAt)
  }

  /** A resource timing of a `fetch`. */
  take(entry: PerformanceResourceTiming): void {
    const startedAt = epochTime(entry.startTime)
    let ended: Awaited | undefined
    for (const awaited of this.#awaited) {
      // The browser takes the time of a request a moment after `fetch` was called. Of several to one address it is the last before that.
      const isCandidate = awaited.url === entry.name && awaited.startedAt <= startedAt + 1
      if (isCandidate && awaited.startedAt >= (ended?.startedAt ?? 0)) ended = awaited
    }
    if (ended === undefined) return
    this.#awaited.splice(this.#awaited.indexOf(ended), 1)
    ended.onEnd(epochTime(entry.responseEnd))
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url
}
