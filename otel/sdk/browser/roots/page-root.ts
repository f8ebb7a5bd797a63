import type { HrTime, Span } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import {
  CHILD_TIMEOUT_MS,
  FINAL_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LATE_POLL_LIMIT,
  LATE_REQUEST_LIMIT,
} from "../../../protocol/limits.ts"
import type { Clock } from "../clock.ts"

export type RootSpan = Span & ReadableSpan

interface PageRootOptions {
  readonly span: RootSpan
  readonly kind: "pageload" | "navigation"
  /** Milliseconds since the epoch, as the span was started with. */
  readonly startedAt: number
  readonly clock: Clock
  /** The root has its end, but is not closed: children can still be added. */
  beforeEnd(root: PageRoot, endedAt: number): void
  onEnded(): void
}

/** Keeps a root open: a child span, or the name of something that is no span. */
type Activity = object | string

/**
 * A pageload or navigation. It ends once, by the idle rule or from outside. Its end is the last activity in it: the idle second
 * is not part of its duration. No child outlives it.
 *
 * The idle rule ends it after `IDLE_TIMEOUT_MS` without activity and with nothing open, and after `FINAL_TIMEOUT_MS` in any case. An
 * open child extends it by `CHILD_TIMEOUT_MS` at most. Each root has one timer, which is set again when it fires too early and not
 * at each activity: activities are frequent, and timers cost time.
 */
export class PageRoot {
  readonly span: RootSpan
  readonly kind: "pageload" | "navigation"
  readonly startedAt: number
  readonly #options: PageRootOptions
  /** When each open activity began to count. */
  readonly #open = new Map<Activity, number>()
  /** Children that continue without counting as activity, such as a request whose response has begun, and since when. */
  readonly #settled = new Map<Span, number>()
  /** Children that neither keep the root open nor move its end. */
  readonly #unawaited = new Set<object>()
  readonly #seen = new Set<string>()
  #lastActivityAt: number
  #idleSince: number
  #timer = 0
  #scheduledFor = Infinity
  #ended = false
  #lateRequests = 0
  #latePolls = 0

  constructor(options: PageRootOptions) {
    this.span = options.span
    this.kind = options.kind
    this.startedAt = options.startedAt
    this.#lastActivityAt = options.startedAt
    this.#options = options
    this.#idleSince = options.clock.now()
    this.#schedule()
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether this is the first call with `what` in this root. */
  isFirst(what: string): boolean {
    return this.#seen.size < this.#seen.add(what).size
  }

  /** Keeps the root open for something that is not a span, like a document that is still loading. */
  hold(activity: string): void {
    this.#open.set(activity, this.#options.clock.now())
  }

  /** @param at when the activity was over, which may be earlier than now. */
  release(activity: string, at = this.#options.clock.now()): void {
    this.#note(at)
    this.#close(activity)
  }

  childStarted(span: RootSpan, isAwaited = true): void {
    if (isAwaited) this.#open.set(span, toMilliseconds(span.startTime))
    else this.#unawaited.add(span)
  }

  childEnded(child: ReadableSpan): void {
    if (this.#close(child) || this.#settled.delete(child as RootSpan)) this.#note(toMilliseconds(child.endTime))
    else this.#unawaited.delete(child)
  }

  /** The child continues, but the visitor no longer waits for it. */
  settleChild(span: Span, at: number): void {
    if (!this.#close(span)) return
    this.#settled.set(span, at)
    this.#note(at)
  }

  /**
   * Whether to record one more request or error after the end. Polling has a limit of its own, so that it does not use up that of
   * the visitor's requests.
   */
  takesLate(isPolling: boolean): boolean {
    return isPolling ? this.#latePolls++ < LATE_POLL_LIMIT : this.#lateRequests++ < LATE_REQUEST_LIMIT
  }

  /** The page shows the route. A root without children ends here. */
  committed(at: number): void {
    this.#note(at)
    this.#touch()
  }

  end(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = true
    this.#seen.clear()
    const endedAt = this.#endOf(reason)
    this.#cutChildren(reason, endedAt)
    this.#options.clock.clearTimeout(this.#timer)
    this.#scheduledFor = -Infinity
    this.#open.clear()
    this.#options.beforeEnd(this, endedAt)
    this.span.setAttribute("pagespan.end_reason", reason).end(endedAt)
    this.#options.onEnded()
  }

  /** A visitor who leaves while something is in flight has waited until now. */
  #endOf(reason: EndReason): number {
    const isWaiting = !reason.endsWith("_timeout") && this.#open.size > 0
    const end = isWaiting ? this.#options.clock.now() : this.#lastActivityAt
    return Math.min(Math.max(end, this.startedAt), this.startedAt + FINAL_TIMEOUT_MS)
  }

  #cutChildren(reason: EndReason, endedAt: number): void {
    const open = [...this.#settled.keys(), ...this.#unawaited, ...this.#open.keys()]
    for (const span of open as (RootSpan | string)[]) {
      if (typeof span === "string") continue
      const end = Math.min(this.#settled.get(span) ?? endedAt, endedAt)
      span.setAttribute("pagespan.end_reason", reason).end(Math.max(toMilliseconds(span.startTime), end))
    }
  }

  #note(at: number): void {
    if (!this.#ended && at > this.#lastActivityAt) this.#lastActivityAt = at
  }

  /** Returns whether it was open. Closing anything else changes nothing: the span of another root cannot extend this one. */
  #close(activity: Activity): boolean {
    const wasOpen = this.#open.delete(activity)
    if (wasOpen) this.#touch()
    return wasOpen
  }

  /** Notes an activity without a duration, such as a commit. */
  #touch(): void {
    this.#idleSince = this.#options.clock.now()
    // Closing the longest activity may move the end before the timer.
    if (this.#idleSince + IDLE_TIMEOUT_MS < this.#scheduledFor && this.#deadline().at < this.#scheduledFor)
      this.#schedule()
  }

  #deadline(): { at: number; reason: EndReason } {
    const expired = this.#options.clock.now() - CHILD_TIMEOUT_MS
    let latest = expired
    for (const since of this.#open.values()) if (since > latest) latest = since
    const at = latest > expired ? latest + CHILD_TIMEOUT_MS : this.#idleSince + IDLE_TIMEOUT_MS
    const final = this.startedAt + FINAL_TIMEOUT_MS
    if (final <= at) return { at: final, reason: "final_timeout" }
    return { at, reason: this.#open.size > 0 ? "child_timeout" : "idle_timeout" }
  }

  #schedule(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#scheduledFor = this.#deadline().at
    this.#timer = this.#options.clock.setTimeout(() => this.#fire(), this.#scheduledFor - this.#options.clock.now())
  }

  #fire(): void {
    const { at, reason } = this.#deadline()
    if (at > this.#options.clock.now()) return this.#schedule()
    this.end(reason)
  }
}

function toMilliseconds([seconds, nanos]: HrTime): number {
  return seconds * 1e3 + nanos / 1e6
}

/** Why a root ended: its attribute `pagespan.end_reason`. */
export type EndReason =
  | "idle_timeout"
  | "child_timeout"
  | "final_timeout"
  | "superseded"
  | "document_hidden"
  | "page_left"
  | "no_page"
