import type { TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { ArrivedSpans } from "../queries/trace/arrived-spans.ts"
import { mergeDeltas } from "../queries/trace/trace-delta.ts"
import { asksFor, type FilterTree, matchesSpan, matchesSummary, type SpanLeaf, spanQuestions } from "../search/index.ts"

/** Traces whose state one filter holds. The least recently updated is evicted first. */
const FILTERED_TRACE_LIMIT = 5_000
/** Ids of their spans that a filter holds which asks for parents: some 5 MB. Beyond it, traces are evicted as above. */
const ID_LIMIT = 50_000

/** What has arrived of a trace. */
interface Arrived {
  /** `undefined` while no span has. */
  readonly summary: TraceSummary | undefined
  readonly reportedErrorCount: number
  readonly answered: Set<SpanLeaf>
  readonly ids: ArrivedSpans
}

interface Known extends Arrived {
  readonly passes: boolean
}

/**
 * Matches traces against a filter while their spans arrive in several batches. When a trace first matches, its update has
 * all of its spans so far, and afterwards only new ones. A trace may also stop matching.
 */
export class LiveFilter {
  readonly #questions: readonly SpanLeaf[]
  readonly #needsParents: boolean
  readonly #needsErrors: boolean
  readonly #known = new Map<TraceId, Known>()
  #ids = 0

  constructor(private readonly tree: FilterTree) {
    this.#questions = spanQuestions(tree)
    this.#needsParents = asksFor(tree, "missing parent")
    this.#needsErrors = asksFor(tree, "error count")
  }

  /** Adds new spans of a trace, with their summary. `undefined` when the trace does not match. */
  match(delta: TraceSummary, spans: readonly SpanRecord[]): TraceSummary | undefined {
    const before = this.#take(delta.traceId)
    const { summary, answered, ids } = before
    for (const question of this.#questions)
      if (!answered.has(question) && spans.some((span) => matchesSpan(question.where, span))) answered.add(question)
    if (this.#needsParents) ids.add(spans)
    const whole = this.#store(delta.traceId, { ...before, summary: summary ? mergeDeltas(summary, delta) : delta })
    return whole && before.passes ? delta : whole
  }

  /**
   * Adds errors that were reported in a trace, of which no span need have arrived.
   *
   * @returns the trace if it matches from now on, `false` if it no longer does, `undefined` if nothing changes.
   */
  addErrors(traceId: TraceId, count: number): TraceSummary | false | undefined {
    if (!this.#needsErrors) return undefined
    const before = this.#take(traceId)
    const whole = this.#store(traceId, { ...before, reportedErrorCount: before.reportedErrorCount + count })
    return before.passes === (whole !== undefined) ? undefined : (whole ?? false)
  }

  #take(traceId: TraceId): Known {
    const known = this.#known.get(traceId)
    this.#known.delete(traceId)
    this.#ids -= known?.ids.size ?? 0
    return (
      known ?? {
        summary: undefined,
        reportedErrorCount: 0,
        answered: new Set(),
        ids: new ArrivedSpans(),
        passes: false,
      }
    )
  }

  /** @returns what has arrived of the trace, if it matches. */
  #store(traceId: TraceId, arrived: Arrived): TraceSummary | undefined {
    const { summary, reportedErrorCount, answered, ids } = arrived
    const whole = summary && (reportedErrorCount === 0 ? summary : { ...summary, reportedErrorCount })
    const passes =
      whole !== undefined &&
      matchesSummary(this.tree, whole, {
        isAnswered: (question) => answered.has(question),
        isParentMissing: () => ids.isParentMissing,
      })
    this.#known.set(traceId, { ...arrived, passes })
    this.#ids += ids.size
    for (const [oldest] of this.#known) {
      if (this.#known.size <= FILTERED_TRACE_LIMIT && this.#ids <= ID_LIMIT) break
      this.#take(oldest)
    }
    return passes ? whole : undefined
  }
}
