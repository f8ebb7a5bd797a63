import { type Context, context, type Span, trace, type Tracer } from "@opentelemetry/api"
import type { PagePropagator } from "../propagator.ts"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { quietly } from "../quietly.ts"
import type { Clock } from "../roots/idle-rule.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"
import { type FetchArguments, type OutgoingRequest, readRequest } from "./outgoing-request.ts"
import { noteFailure, noteResponse, startRequestSpan } from "./request-span.ts"
import type { ResponseEnds } from "./response-ends.ts"
import { withTraceHeaders } from "./trace-headers.ts"

type Fetch = typeof globalThis.fetch

interface TracedFetchOptions {
  readonly tracer: Tracer
  readonly clock: Clock
  readonly matcher: RouteMatcher
  readonly current: CurrentRoot
  readonly ends: ResponseEnds
  readonly propagator: PagePropagator
  /** Other origins that may see the page's trace. A header more makes a cross-origin request need a preflight. */
  readonly traceOrigins: ReadonlySet<string>
}

interface TracedCall {
  readonly args: FetchArguments
  readonly span: Span | undefined
  readonly root: PageRoot | undefined
  readonly request: OutgoingRequest
  readonly startedAt: number
}

/**
 * Makes a child span of the first `fetch` of each address while a root is open. A repetition (polling), a prefetch, and
 * a request after the root has ended make none: they are no part of what the visitor waited for. They still carry the
 * page's trace, so that what the server did has a parent that exists. An answer's body never keeps the root open, but
 * for the router's own requests, whose end is the page; and a body is never read here.
 *
 * @returns puts the page's own `fetch` back.
 */
export function traceFetch(options: TracedFetchOptions): () => void {
  const native = window.fetch
  let isStopped = false
  const traced: Fetch = function fetch(this: unknown, ...args: FetchArguments) {
    const call = isStopped ? undefined : prepare(options, args)
    const answer = Reflect.apply(native, this, call?.args ?? args) as Promise<Response>
    if (call?.span !== undefined) follow(options, call, call.span, answer)
    return answer
  }
  window.fetch = traced
  return () => {
    isStopped = true
    // Someone may have patched it again since; then this one stays below it, as a pass-through.
    if (window.fetch === traced) window.fetch = native
  }
}

function prepare(options: TracedFetchOptions, args: FetchArguments): TracedCall | undefined {
  try {
    const request = readRequest(args)
    if (request === undefined) return undefined
    const startedAt = options.clock.now()
    const root = isWaitedFor(request, options.current.open) ? options.current.open : undefined
    const { tracer, matcher } = options
    const active = context.active()
    const span = root && startRequestSpan(tracer, request, matcher, startedAt, active)
    const mayTrace = request.isSameOrigin || options.traceOrigins.has(request.url.origin)
    const traced = mayTrace ? withTraceHeaders(args, request, withSpan(active, span), options.propagator) : args
    return { args: traced, span, root, request, startedAt }
  } catch {
    // Whatever is odd about this call, it is the page's, and goes out as it came.
    return undefined
  }
}

function isWaitedFor({ kind, method, url }: OutgoingRequest, root: PageRoot | undefined): boolean {
  return kind !== "prefetch" && root?.isFirst(`${kind} ${method} ${url.origin}${url.pathname}`) === true
}

function withSpan(active: Context, span: Span | undefined): Context {
  return span === undefined ? active : trace.setSpan(active, span)
}

function follow(options: TracedFetchOptions, call: TracedCall, span: Span, answer: Promise<Response>): void {
  const { request, root, startedAt } = call
  const onAnswer = (response: Response) => {
    const now = options.clock.now()
    noteResponse(span, response)
    if (request.kind === "api") root?.settleChild(span, now)
    options.ends.whenEnded(request.url.href, startedAt, now, (endedAt) => span.end(endedAt))
  }
  const onFailure = (error: unknown) => {
    noteFailure(span, error)
    span.end(options.clock.now())
  }
  answer.then(
    (response) => quietly(() => onAnswer(response)),
    (error: unknown) => quietly(() => onFailure(error)),
  )
}
