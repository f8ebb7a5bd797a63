import type { TraceId } from "../model/ids.ts"
import type { SpanRecord } from "../model/span.ts"
import type { TraceSummary } from "../model/trace-summary.ts"
import { mergeDeltas, spansByTrace, summariseSpans } from "../query/trace-delta.ts"
import { Wakeup } from "./wakeup.ts"

/** Traces that wait for a slow subscriber; those past it are skipped, and their number is told. */
const WAITING_TRACE_LIMIT = 500

export interface LiveNews {
  /** What has been admitted since the last news, one summary for each trace, of the new spans only. */
  readonly traces: readonly TraceSummary[]
  /** Deltas that were left out because the subscriber was too slow. */
  readonly skipped: number
}

/** One reader of the feed. It takes news when it is ready for them; until then they are added up by trace. */
export class LiveSubscription {
  readonly #waiting = new Map<TraceId, TraceSummary>()
  readonly #wakeup = new Wakeup()
  #skipped = 0
  #isClosed = false

  constructor(private readonly onClose: () => void) {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The next news; `undefined` when there are none within the time given, or when the subscription has ended. */
  async next(waitMs: number): Promise<LiveNews | undefined> {
    if (this.#isEmpty() && !this.#isClosed) await this.#wakeup.sleep(waitMs)
    if (this.#isEmpty()) return undefined
    const news = { traces: [...this.#waiting.values()], skipped: this.#skipped }
    this.#waiting.clear()
    this.#skipped = 0
    return news
  }

  offer(deltas: readonly TraceSummary[]): void {
    for (const delta of deltas) {
      const known = this.#waiting.get(delta.traceId)
      if (known !== undefined) this.#waiting.set(delta.traceId, mergeDeltas(known, delta))
      else if (this.#waiting.size < WAITING_TRACE_LIMIT) this.#waiting.set(delta.traceId, delta)
      else this.#skipped += 1
    }
    this.#wakeup.wake()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onClose()
    this.#wakeup.wake()
  }

  #isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#skipped === 0
  }
}

/** Tells subscribers what is admitted, before and without the store. Nobody subscribed: nothing is done. */
export class LiveFeed {
  readonly #subscriptions = new Set<LiveSubscription>()
  #isClosed = false

  get subscriberCount(): number {
    return this.#subscriptions.size
  }

  subscribe(): LiveSubscription {
    const subscription = new LiveSubscription(() => this.#subscriptions.delete(subscription))
    this.#subscriptions.add(subscription)
    if (this.#isClosed) subscription.close()
    return subscription
  }

  publish(spans: readonly SpanRecord[]): void {
    if (this.#subscriptions.size === 0) return
    const deltas = [...spansByTrace(spans)].map(([traceId, ofTrace]) => summariseSpans(traceId, ofTrace))
    for (const subscription of this.#subscriptions) subscription.offer(deltas)
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#subscriptions) subscription.close()
  }
}
