import type { HrTime, Span } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { FINAL_TIMEOUT_MS, LATE_POLL_LIMIT, LATE_REQUEST_LIMIT } from "../../../protocol/limits.ts"
import { type Clock, type EndReason, IdleRule } from "./idle-rule.ts"

export type RootSpan = Span & ReadableSpan

interface PageRootOptions {
  readonly span: RootSpan
  readonly kind: "pageload" | "navigation"
  /** Milliseconds since the epoch, as the span was started with. */
  readonly startedAt: number
  readonly clock: Clock
  /** The last moment in which children can be added: the root has its end, but is not closed. */
  beforeEnd(root: PageRoot, endedAt: number): void
  onEnded(): void
}

/**
 * One open pageload or navigation. It ends by the idle rule or from outside, once, and its end is pulled back to the
 * last thing that happened in it: the quiet second is no part of how long the page took. No child outlives it.
 */
export class PageRoot {
  readonly span: RootSpan
  readonly kind: "pageload" | "navigation"
  readonly startedAt: number
  readonly #options: PageRootOptions
  readonly #rule: IdleRule
  /** Children that go on and have stopped counting as activity, like a request whose answer has begun, since when. */
  readonly #settled = new Map<Span, number>()
  /** Children that nobody waits for: they neither keep the root open nor move its end. */
  readonly #unawaited = new Set<object>()
  readonly #seen = new Set<string>()
  #lastActivityAt: number
  #ended = false
  #lateRequests = 0
  #latePolls = 0

  constructor(options: PageRootOptions) {
    this.span = options.span
    this.kind = options.kind
    this.startedAt = options.startedAt
    this.#lastActivityAt = options.startedAt
    this.#options = options
    this.#rule = new IdleRule(options.clock, options.startedAt, (reason) => this.end(reason))
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether `what` happens for the first time in this root. */
  isFirst(what: string): boolean {
    return !this.#seen.has(what) && this.#seen.add(what) !== undefined
  }

  /** Keeps the root open for something that is not a span, like a document that is still loading. */
  hold(activity: string): void {
    this.#rule.open(activity, this.#options.clock.now())
  }

  /** @param at when the activity was over, which may be earlier than now. */
  release(activity: string, at = this.#options.clock.now()): void {
    this.#note(at)
    this.#rule.close(activity)
  }

  childStarted(span: RootSpan, isAwaited = true): void {
    if (isAwaited) this.#rule.open(span, toMilliseconds(span.startTime))
    else this.#unawaited.add(span)
  }

  childEnded(child: ReadableSpan): void {
    if (this.#rule.close(child) || this.#settled.delete(child as RootSpan)) this.#note(toMilliseconds(child.endTime))
    else this.#unawaited.delete(child)
  }

  /** The child goes on, but is no longer what the visitor waits for. */
  settleChild(span: Span, at: number): void {
    if (!this.#rule.close(span)) return
    this.#settled.set(span, at)
    this.#note(at)
  }

  /** Whether one more request that starts after the end is recorded. Polling must not use up the bound of what a visitor does. */
  takesLate(isPolling: boolean): boolean {
    return isPolling ? this.#latePolls++ < LATE_POLL_LIMIT : this.#lateRequests++ < LATE_REQUEST_LIMIT
  }

  /** The page shows what the root stands for: a root with no children ends here. */
  committed(at: number): void {
    this.#note(at)
    this.#rule.touch()
  }

  end(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = true
    this.#seen.clear()
    const endedAt = this.#endOf(reason)
    this.#cutChildren(reason, endedAt)
    this.#rule.stop()
    this.#options.beforeEnd(this, endedAt)
    this.span.setAttribute("pagespan.end_reason", reason)
    this.span.end(endedAt)
    this.#options.onEnded()
  }

  /** A visitor who goes while something is still on its way has waited until now. */
  #endOf(reason: EndReason): number {
    const isGivenUp = reason === "page_left" || reason === "document_hidden" || reason === "superseded"
    const isWaiting = isGivenUp && this.#rule.isBusy
    const end = isWaiting ? this.#options.clock.now() : this.#lastActivityAt
    return Math.min(Math.max(end, this.startedAt), this.startedAt + FINAL_TIMEOUT_MS)
  }

  #cutChildren(reason: EndReason, endedAt: number): void {
    const open = [...this.#settled.keys(), ...this.#unawaited, ...this.#rule.activities]
    for (const span of open as (RootSpan | string)[]) {
      if (typeof span === "string") continue
      const end = Math.min(this.#settled.get(span) ?? endedAt, endedAt)
      span.setAttribute("pagespan.end_reason", reason)
      span.end(Math.max(toMilliseconds(span.startTime), end))
    }
  }

  #note(at: number): void {
    if (!this.#ended && at > this.#lastActivityAt) this.#lastActivityAt = at
  }
}

function toMilliseconds([seconds, nanos]: HrTime): number {
  return seconds * 1e3 + nanos / 1e6
}
