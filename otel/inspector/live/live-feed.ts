import type { RecordBatch } from "../../protocol/records/batch.ts"
import { isEventItem } from "../../protocol/records/envelope-item.ts"
import type { TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { Signal } from "../signal.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import type { WatchState } from "../queries/saved-filters/watch-state.ts"
import { mergeDeltas, spansByTrace, summariseSpans } from "../queries/trace/trace-delta.ts"
import type { FilterTree } from "../search/index.ts"
import { LiveFilter } from "./live-filter.ts"

/** Traces that wait for a slow subscriber. Past this limit traces are skipped and counted. */
const WAITING_TRACE_LIMIT = 500

export interface LiveUpdate {
  /** Traces with new spans since the last update: one summary each, of the new spans only. */
  readonly traces: readonly TraceSummary[]
  /** The same for traces that do not, or no longer, match the subscriber's filter: it may show them. */
  readonly others: readonly TraceSummary[]
  /** Number of errors stored since the last update, with or without a trace. */
  readonly errors: number
  /** The same for envelope items, without events that became errors or spans. */
  readonly items: number
  /** Number of logs stored since the last update, whatever the filter. */
  readonly logs: number
  /** Number of dropped records stored since the last update, reported ones too. */
  readonly drops: number
  /** Number of traces skipped because the subscriber was too slow. */
  readonly skipped: number
  /** The states of all watches, after a change of one; only for subscribers of watches. */
  readonly watches: readonly WatchState[] | undefined
}

type Counts = Pick<LiveUpdate, "errors" | "items" | "logs" | "drops">

const NONE: Counts = { errors: 0, items: 0, logs: 0, drops: 0 }

function sum(a: Counts, b: Counts): Counts {
  return { errors: a.errors + b.errors, items: a.items + b.items, logs: a.logs + b.logs, drops: a.drops + b.drops }
}

/** Whether a subscriber gets the states of watches: besides records, or instead of them. */
export type WatchInterest = "none" | "also" | "only"

/** New spans of one trace. */
export interface Arrival {
  readonly delta: TraceSummary
  readonly spans: readonly SpanRecord[]
}

/** Number of new errors by trace. */
type ReportedErrors = ReadonlyMap<TraceId, number>

const NO_ERRORS: ReportedErrors = new Map()

/** One reader of the feed. Updates merge by trace until the reader requests the next one. */
export class LiveSubscription {
  readonly #waiting = new Map<TraceId, TraceSummary>()
  readonly #others = new Map<TraceId, TraceSummary>()
  readonly #signal = new Signal()
  readonly #filter: LiveFilter | undefined
  #counts = NONE
  #skipped = 0
  #watches: readonly WatchState[] | undefined
  #isClosed = false

  constructor(
    private readonly onClose: () => void,
    tree: FilterTree | undefined,
    readonly interest: WatchInterest,
  ) {
    this.#filter = tree === undefined ? undefined : new LiveFilter(tree)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The next update; `undefined` when none arrives within `waitMs`, or when the subscription is closed. */
  async next(waitMs: number): Promise<LiveUpdate | undefined> {
    if (this.#isEmpty() && !this.#isClosed) await this.#signal.sleep(waitMs)
    if (this.#isEmpty()) return undefined
    const news = {
      traces: [...this.#waiting.values()],
      others: [...this.#others.values()],
      ...this.#counts,
      skipped: this.#skipped,
      watches: this.#watches,
    }
    this.#watches = undefined
    this.#waiting.clear()
    this.#others.clear()
    this.#counts = NONE
    this.#skipped = 0
    return news
  }

  offer(arrivals: readonly Arrival[], counts: Counts, errors = NO_ERRORS): void {
    this.#counts = sum(this.#counts, counts)
    for (const [traceId, count] of errors) this.#addErrors(traceId, count)
    for (const { delta, spans } of arrivals) {
      const passing = this.#filter === undefined ? delta : this.#filter.match(delta, spans)
      if (passing === undefined) this.#addOther(delta)
      else this.#wait(passing)
    }
    if (!this.#isEmpty()) this.#signal.wake()
  }

  offerWatches(states: readonly WatchState[]): void {
    this.#watches = states
    this.#signal.wake()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onClose()
    this.#signal.wake()
  }

  /** Errors that were reported may be what a filter asks for. Without a filter, a subscriber reads them from the store. */
  #addErrors(traceId: TraceId, count: number): void {
    const changed = this.#filter?.addErrors(traceId, count)
    if (changed) return this.#wait(changed)
    const waiting = this.#waiting.get(traceId)
    if (changed === undefined || waiting === undefined) return
    this.#waiting.delete(traceId)
    add(this.#others, waiting)
  }

  #wait(delta: TraceSummary): void {
    if (add(this.#waiting, delta)) return
    this.#skipped += 1
  }

  /** A trace that does not match matters only to a screen that shows it, so none is counted as skipped here. */
  #addOther(delta: TraceSummary): void {
    const waiting = this.#waiting.get(delta.traceId)
    this.#waiting.delete(delta.traceId)
    add(this.#others, waiting === undefined ? delta : mergeDeltas(waiting, delta))
  }

  #isEmpty(): boolean {
    const { errors, items, logs, drops } = this.#counts
    const counted = errors + items + logs + drops + this.#skipped
    return this.#waiting.size === 0 && this.#others.size === 0 && counted === 0 && this.#watches === undefined
  }
}

/** `false` when the limit is reached. */
function add(deltas: Map<TraceId, TraceSummary>, delta: TraceSummary): boolean {
  const known = deltas.get(delta.traceId)
  if (known === undefined && deltas.size >= WAITING_TRACE_LIMIT) return false
  deltas.set(delta.traceId, known === undefined ? delta : mergeDeltas(known, delta))
  return true
}

/**
 * Sends ingested spans to subscribers, without waiting for the store. Of errors, items, logs and drops it sends the
 * numbers, once they are stored: a subscriber reads them from the store.
 */
export class LiveFeed {
  readonly #subscriptions = new Set<LiveSubscription>()
  /** Of the batches in the queue. */
  #unstored: { readonly sequence: number; readonly counts: Counts }[] = []
  #watches: readonly WatchState[] | undefined
  /** Called when somebody subscribes to watches. */
  onWatched: (() => void) | undefined
  #isClosed = false

  get subscriberCount(): number {
    return this.#subscriptions.size
  }

  get isWatched(): boolean {
    return [...this.#subscriptions].some(({ interest }) => interest !== "none")
  }

  /** Without a filter, all traces match. A subscriber of watches gets their last known states at once. */
  subscribe(tree?: FilterTree, interest: WatchInterest = "none"): LiveSubscription {
    const subscription = new LiveSubscription(() => this.#subscriptions.delete(subscription), tree, interest)
    this.#subscriptions.add(subscription)
    if (this.#isClosed) subscription.close()
    else if (interest !== "none") {
      if (this.#watches !== undefined) subscription.offerWatches(this.#watches)
      this.onWatched?.()
    }
    return subscription
  }

  /** @param states `undefined` once they are out of date. */
  publishWatches(states: readonly WatchState[] | undefined): void {
    this.#watches = states
    if (states === undefined) return
    for (const subscription of this.#subscriptions)
      if (subscription.interest !== "none") subscription.offerWatches(states)
  }

  /** @param sequence of the batch in the journal. */
  publish(batch: RecordBatch, sequence: number): void {
    const { errors, items, logs } = batch
    const counts = {
      errors: errors.length,
      items: items.filter((item) => !isEventItem(item)).length,
      logs: logs.length,
      drops: 0,
    }
    // Also without a subscriber: one may come before they are stored.
    if (counts.errors + counts.items + counts.logs > 0) this.#unstored.push({ sequence, counts })
    if (this.#subscriptions.size === 0) return
    // Some batches make their records only now.
    const arrivals = [...spansByTrace(batch.spans)].map(([traceId, ofTrace]) => ({
      delta: summariseSpans(traceId, ofTrace),
      spans: ofTrace,
    }))
    const reported = new Map<TraceId, number>()
    for (const { traceId } of errors) if (traceId !== undefined) reported.set(traceId, (reported.get(traceId) ?? 0) + 1)
    this.#offer(arrivals, NONE, reported)
  }

  /** @param sequence of the last batch that the store has. */
  stored(sequence: number): void {
    const stored = this.#unstored.filter((batch) => batch.sequence <= sequence)
    if (stored.length === 0) return
    this.#unstored = this.#unstored.filter((batch) => batch.sequence > sequence)
    this.#offer(
      [],
      stored.reduce((total, { counts }) => sum(total, counts), NONE),
    )
  }

  /** @param records that were dropped, which the store has counted. */
  dropped(records: number): void {
    this.#offer([], { ...NONE, drops: records })
  }

  #offer(arrivals: readonly Arrival[], counts: Counts, errors = NO_ERRORS): void {
    for (const subscription of this.#subscriptions)
      if (subscription.interest !== "only") subscription.offer(arrivals, counts, errors)
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#subscriptions) subscription.close()
  }
}
