import { safely } from "../../protocol/safely.ts"
import { pageClock } from "./clock.ts"
import { watchErrors } from "./errors/page-errors.ts"
import { forgetRegistrations, registrations, type Registrations, setRegistrations } from "./api/registrations.ts"
import { loadApi, loadTracing } from "./load-tracing.cjs"
import { watchLeaving, watchRestoring } from "./page-lifecycle.ts"
import { hasInstrumentations } from "./page.ts"
import { hookFetch, hookXhr } from "./requests/request-hooks.ts"
import type { EndReason } from "./roots/page-root.ts"
import type { Tracing, TracingOptions } from "./tracing.ts"

/**
 * The start waits this long for a document that is not parsed yet. With Cache Components, the trace of the request streams in behind
 * the prerendered shell. A document may stream for as long as it is open.
 */
const PARSED_WITHIN_MS = 1_000

/** A page while it is traced. */
export interface PagePipeline {
  committed(): void
  transitionStarted(url: string, type: string): void
  reportError(error: unknown): void
  currentTraceId(): string | undefined
  /** Ends tracing and restores what it patched. What was not sent is discarded. */
  stop(): void
}

/**
 * Hooks what the page does: its requests, errors, spans, transitions and its end. The stages behind the hooks (`tracing.ts`) are
 * loaded with the first of these, or else once the document is parsed: most of a start is code that runs for the first time, and
 * the page hydrates before it. Nothing is missed, since the browser keeps the times of what happened earlier. OpenTelemetry's API
 * is one of the stages, since it is as much code as all else that a start runs.
 */
export function startPipeline(options: TracingOptions): PagePipeline {
  const lifetime = new AbortController()
  const { signal } = lifetime
  const nativeFetch = window.fetch.bind(window)
  let tracing: Tracing | undefined
  let hasBegun = false
  /** When the router showed the page, if that was before the start. It does not repeat the commit. */
  let committedAt: number | undefined
  const begin = () => {
    hasBegun = true
    if (registrations() === announced) forgetRegistrations()
  }
  /** The running stages. `undefined` during their start, and if they failed to start or were stopped before it. */
  const started = (): Tracing | undefined => {
    if (hasBegun) return tracing
    begin()
    safely(
      () => {
        tracing = loadTracing().startTracing({ ...options, api: loadApi()?.trace }, nativeFetch, signal)
        if (committedAt !== undefined) tracing.committed(committedAt)
      },
      // Hooks without stages behind them only cost.
      () => lifetime.abort(),
    )
    return tracing
  }
  // Reading OpenTelemetry's registrations starts tracing, which registers the page's provider in place of the proxy.
  const registered = () => {
    started()
    return registrations() ?? setRegistrations({})
  }
  const announced: Registrations = new Proxy(
    {},
    { get: (_, key) => registered()[key], set: (_, key, value) => ((registered()[key] = value), true) },
  )
  if (registrations() === undefined) setRegistrations(announced)
  // Instrumentations of the app patch `fetch` below ours.
  if (registrations() !== announced || hasInstrumentations()) started()
  // A page may have frozen its `fetch`, or have no `XMLHttpRequest`.
  for (const hook of [hookFetch, hookXhr]) safely(() => signal.addEventListener("abort", hook(started)))
  watchErrors((...error) => started()?.recordError(...error), signal)
  watchLifecycle(started, signal)
  document.addEventListener("DOMContentLoaded", started, { signal })
  pageClock.setTimeout(started, document.readyState === "loading" ? PARSED_WITHIN_MS : 0)
  return {
    committed: () => {
      const now = pageClock.now()
      if (tracing === undefined) committedAt ??= now
      else tracing.committed(now)
    },
    transitionStarted: (url, type) => started()?.transitions.started(url, type),
    reportError: (error) => started()?.recordError(error, "", { type: "auto.react.error_boundary", handled: true }),
    currentTraceId: () => started()?.current.traceId,
    stop: () => {
      begin()
      lifetime.abort()
      tracing?.delivery.stop()
      tracing?.roots.end("page_left")
    },
  }
}

function watchLifecycle(started: () => Tracing | undefined, signal: AbortSignal): void {
  const gather = () => {
    const tracing = started()
    if (tracing !== undefined) tracing.delivery.isGathering = true
    return tracing
  }
  const leave = (reason: EndReason) => {
    const { delivery, roots } = gather() ?? {}
    if (delivery === undefined) return
    // First: what the end of a root sends must not wait for a response.
    delivery.hasLeft ||= reason === "page_left"
    safely(() => roots?.end(reason))
    safely(() => delivery.leave())
  }
  watchLeaving(gather, leave, signal)
  watchRestoring((at) => {
    const tracing = started()
    if (tracing !== undefined) tracing.delivery.hasLeft = false
    safely(() => tracing?.transitions.restored(at))
  }, signal)
}
