import type { Clock } from "../clock.ts"
import type { HrTime, Span } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import {
  CHILD_TIMEOUT_MS,
  FINAL_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LATE_POLL_LIMIT,
  LATE_REQUEST_LIMIT,
} from "../../../protocol/limits.ts"

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

/** Why a page root ended, kept in its `pagespan.end_reason` attribute. */
export type EndReason =
  | "idle_timeout"
  | "child_timeout"
  | "final_timeout"
  | "superseded"
  | "document_hidden"
  | "page_left"

/** What keeps a root open: a child, or the name of something that is no span. */
type Activity = object | string

/**
 * When a page root ends: quiet for `IDLE_TIMEOUT_MS` with nothing open, at most `FINAL_TIMEOUT_MS` long, and no open
 * child keeps it longer than `CHILD_TIMEOUT_MS`. There is one timer for each root; it is armed again when it fires
 * too early rather than at each activity, because activities are many and timers are not free.
 */
export class IdleRule {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #onEnd: (reason: EndReason) => void
  /** When each open activity began to count. */
  readonly #open = new Map<Activity, number>()
  #quietSince: number
  #timer: number | undefined
  #armedFor = Infinity

  /** @param startedAt when the root began: the page's time origin for a pageload, which lies in the past. */
  constructor(clock: Clock, startedAt: number, onEnd: (reason: EndReason) => void) {
    this.#clock = clock
    this.#startedAt = startedAt
    this.#onEnd = onEnd
    this.#quietSince = clock.now()
    this.#arm()
  }

  /** What is open, in the order in which it began. */
  get activities(): Iterable<Activity> {
    return this.#open.keys()
  }

  /** Whether something is open. */
  get isBusy(): boolean {
    return this.#open.size > 0
  }

  open(activity: Activity, since: number): void {
    this.#open.set(activity, since)
  }

  /** Answers whether it was open. Closing what is not changes nothing: a stranger's span cannot keep this root alive. */
  close(activity: Activity): boolean {
    const wasOpen = this.#open.delete(activity)
    if (wasOpen) this.touch()
    return wasOpen
  }

  /** Something happened that has no length, like a commit. */
  touch(): void {
    this.#quietSince = this.#clock.now()
    // Closing what was open longest may bring the end nearer than the timer stands.
    if (this.#quietSince + IDLE_TIMEOUT_MS < this.#armedFor && this.#deadline().at < this.#armedFor) this.#arm()
  }

  /** The root has its end: nothing keeps it open, and nothing arms the timer again. */
  stop(): void {
    this.#disarm()
    this.#armedFor = -Infinity
    this.#open.clear()
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
  }

  #deadline(): { at: number; reason: EndReason } {
    const at = this.#latestChildDeadline() ?? this.#quietSince + IDLE_TIMEOUT_MS
    const final = this.#startedAt + FINAL_TIMEOUT_MS
    if (final <= at) return { at: final, reason: "final_timeout" }
    return { at, reason: this.isBusy ? "child_timeout" : "idle_timeout" }
  }

  #latestChildDeadline(): number | undefined {
    if (!this.isBusy) return undefined
    const expired = this.#clock.now() - CHILD_TIMEOUT_MS
    let latest = expired
    for (const since of this.#open.values()) if (since > latest) latest = since
    return latest > expired ? latest + CHILD_TIMEOUT_MS : undefined
  }

  #arm(): void {
    this.#disarm()
    this.#armedFor = this.#deadline().at
    this.#timer = this.#clock.setTimeout(() => this.#fire(), Math.max(0, this.#armedFor - this.#clock.now()))
  }

  #fire(): void {
    this.#timer = undefined
    const { at, reason } = this.#deadline()
    if (at > this.#clock.now()) return this.#arm()
    this.#onEnd(reason)
  }
}
