import { CHILD_TIMEOUT_MS, FINAL_TIMEOUT_MS, IDLE_TIMEOUT_MS } from "../../../protocol/limits.ts"

/** Why a page root ended, kept in its `pagespan.end_reason` attribute. */
export type EndReason =
  | "idle_timeout"
  | "child_timeout"
  | "final_timeout"
  | "superseded"
  | "document_hidden"
  | "page_left"

/** Milliseconds since the epoch, and timers; a parameter so that tests own the time. */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): number
  clearTimeout(timer: number): void
}

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
