import type { RecordBatch } from "../../protocol/records/batch.ts"
import { isEventItem } from "../../protocol/records/envelope-item.ts"
import type { TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { Signal } from "../ingest/batcher.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { mergeDeltas, spansByTrace, summariseSpans } from "../queries/trace/trace-delta.ts"
import { type FilterTree, matchesSpan, matchesSummary, type SpanLeaf, spanQuestions } from "../search/index.ts"

/** Traces that wait for a slow subscriber; those past it are skipped, and their number is told. */
const WAITING_TRACE_LIMIT = 500

export interface LiveNews {
  /** What has been admitted since the last news, one summary for each trace, of the new spans only. */
  readonly traces: readonly TraceSummary[]
  /** The same of traces that do not pass the subscriber's filter, or no longer: it may have them on screen. */
  readonly others: readonly TraceSummary[]
  /** Errors that have been admitted since the last news, whether or not a trace of theirs was. */
  readonly errors: number
  /** The same of envelope items, without the events that errors and spans were read from. */
  readonly items: number
  /** Deltas that were left out because the subscriber was too slow. */
  readonly skipped: number
}

/** What arrived of one trace. */
export interface Arrival {
  readonly delta: TraceSummary
  readonly spans: readonly SpanRecord[]
}

/** One reader of the feed. It takes news when it is ready for them; until then they are added up by trace. */
export class LiveSubscription {
  readonly #waiting = new Map<TraceId, TraceSummary>()
  readonly #others = new Map<TraceId, TraceSummary>()
  readonly #signal = new Signal()
  readonly #filter: LiveFilter | undefined
  #errors = 0
  #items = 0
  #skipped = 0
  #isClosed = false

  constructor(
    private readonly onClose: () => void,
    tree: FilterTree | undefined,
  ) {
    this.#filter = tree === undefined ? undefined : new LiveFilter(tree)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The next news; `undefined` when there are none within the time given, or when the subscription has ended. */
  async next(waitMs: number): Promise<LiveNews | undefined> {
    if (this.#isEmpty() && !this.#isClosed) await this.#signal.sleep(waitMs)
    if (this.#isEmpty()) return undefined
    const news = {
      traces: [...this.#waiting.values()],
      others: [...this.#others.values()],
      errors: this.#errors,
      items: this.#items,
      skipped: this.#skipped,
    }
    this.#waiting.clear()
    this.#others.clear()
    this.#errors = 0
    this.#items = 0
    this.#skipped = 0
    return news
  }

  offer(arrivals: readonly Arrival[], { errors, items }: Pick<LiveNews, "errors" | "items">): void {
    this.#errors += errors
    this.#items += items
    for (const { delta, spans } of arrivals) {
      const passing = this.#filter === undefined ? delta : this.#filter.take(delta, spans)
      if (passing === undefined) this.#setAside(delta)
      else this.#wait(passing)
    }
    if (!this.#isEmpty()) this.#signal.wake()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onClose()
    this.#signal.wake()
  }

  #wait(delta: TraceSummary): void {
    if (add(this.#waiting, delta)) return
    this.#skipped += 1
  }

  /** Told only for what is on screen already: the next reading of the page makes up for what is left out here. */
  #setAside(delta: TraceSummary): void {
    const waiting = this.#waiting.get(delta.traceId)
    this.#waiting.delete(delta.traceId)
    add(this.#others, waiting === undefined ? delta : mergeDeltas(waiting, delta))
  }

  #isEmpty(): boolean {
    const counted = this.#errors + this.#items + this.#skipped
    return this.#waiting.size === 0 && this.#others.size === 0 && counted === 0
  }
}

/** False when there is no room. */
function add(deltas: Map<TraceId, TraceSummary>, delta: TraceSummary): boolean {
  const known = deltas.get(delta.traceId)
  if (known === undefined && deltas.size >= WAITING_TRACE_LIMIT) return false
  deltas.set(delta.traceId, known === undefined ? delta : mergeDeltas(known, delta))
  return true
}

/** Tells subscribers what is admitted, before and without the store. Nobody subscribed: nothing is done. */
export class LiveFeed {
  readonly #subscriptions = new Set<LiveSubscription>()
  #isClosed = false

  get subscriberCount(): number {
    return this.#subscriptions.size
  }

  /** Without a filter the subscriber is told of all traces. */
  subscribe(tree?: FilterTree): LiveSubscription {
    const subscription = new LiveSubscription(() => this.#subscriptions.delete(subscription), tree)
    this.#subscriptions.add(subscription)
    if (this.#isClosed) subscription.close()
    return subscription
  }

  publish({ spans, errors, items }: Pick<RecordBatch, "spans" | "errors" | "items">): void {
    if (this.#subscriptions.size === 0) return
    const arrivals = [...spansByTrace(spans)].map(([traceId, ofTrace]) => ({
      delta: summariseSpans(traceId, ofTrace),
      spans: ofTrace,
    }))
    const counts = { errors: errors.length, items: items.filter((item) => !isEventItem(item)).length }
    for (const subscription of this.#subscriptions) subscription.offer(arrivals, counts)
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#subscriptions) subscription.close()
  }
}

/** Traces of which one reader's filter remembers what has come of them so far; the one that was quiet longest goes first. */
const REMEMBERED_TRACE_LIMIT = 5_000

interface Known {
  readonly summary: TraceSummary
  readonly answered: Set<SpanLeaf>
  readonly passes: boolean
}

/**
 * Which traces pass a filter while their spans arrive in pieces. A trace is told whole when it first passes, and by
 * what is new afterwards; it may also stop passing.
 */
export class LiveFilter {
  readonly #questions: readonly SpanLeaf[]
  readonly #known = new Map<TraceId, Known>()

  constructor(private readonly tree: FilterTree) {
    this.#questions = spanQuestions(tree)
  }

  /** Takes the new spans of a trace with their summary. `undefined` for a trace that does not pass. */
  take(delta: TraceSummary, spans: readonly SpanRecord[]): TraceSummary | undefined {
    const before = this.#known.get(delta.traceId)
    const summary = before === undefined ? delta : mergeDeltas(before.summary, delta)
    const answered = before?.answered ?? new Set<SpanLeaf>()
    for (const question of this.#questions)
      if (!answered.has(question) && spans.some((span) => matchesSpan(question.where, span))) answered.add(question)
    const passes = matchesSummary(this.tree, summary, (question) => answered.has(question))
    this.#remember(delta.traceId, { summary, answered, passes })
    if (!passes) return undefined
    return before?.passes ? delta : summary
  }

  #remember(traceId: TraceId, known: Known): void {
    this.#known.delete(traceId)
    this.#known.set(traceId, known)
    if (this.#known.size <= REMEMBERED_TRACE_LIMIT) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
