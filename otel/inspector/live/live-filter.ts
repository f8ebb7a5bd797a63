import type { TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { ArrivedSpans } from "../queries/trace/arrived-spans.ts"
import { mergeDeltas } from "../queries/trace/trace-delta.ts"
import {
  type FilterTree,
  matchesSpan,
  matchesSummary,
  needsParents,
  type SpanLeaf,
  spanQuestions,
} from "../search/index.ts"

/** Traces whose state one filter holds. The least recently updated is evicted first. */
const FILTERED_TRACE_LIMIT = 5_000
/** Ids of their spans that a filter holds which asks for parents: some 5 MB. Beyond it, traces are evicted as above. */
const ID_LIMIT = 50_000

interface Known {
  readonly summary: TraceSummary
  readonly answered: Set<SpanLeaf>
  readonly arrived: ArrivedSpans
  readonly passes: boolean
}

/**
 * Matches traces against a filter while their spans arrive in several batches. When a trace first matches, its update has
 * all of its spans so far, and afterwards only new ones. A trace may also stop matching.
 */
export class LiveFilter {
  readonly #questions: readonly SpanLeaf[]
  readonly #needsParents: boolean
  readonly #known = new Map<TraceId, Known>()
  #ids = 0

  constructor(private readonly tree: FilterTree) {
    this.#questions = spanQuestions(tree)
    this.#needsParents = needsParents(tree)
  }

  /** Adds new spans of a trace, with their summary. `undefined` when the trace does not match. */
  match(delta: TraceSummary, spans: readonly SpanRecord[]): TraceSummary | undefined {
    const before = this.#take(delta.traceId)
    const summary = before === undefined ? delta : mergeDeltas(before.summary, delta)
    const answered = before?.answered ?? new Set<SpanLeaf>()
    for (const question of this.#questions)
      if (!answered.has(question) && spans.some((span) => matchesSpan(question.where, span))) answered.add(question)
    const arrived = before?.arrived ?? new ArrivedSpans()
    if (this.#needsParents) arrived.add(spans)
    const passes = matchesSummary(this.tree, summary, {
      isAnswered: (question) => answered.has(question),
      isParentMissing: () => arrived.isParentMissing,
    })
    this.#store(delta.traceId, { summary, answered, arrived, passes })
    if (!passes) return undefined
    return before?.passes ? delta : summary
  }

  #take(traceId: TraceId): Known | undefined {
    const known = this.#known.get(traceId)
    this.#known.delete(traceId)
    this.#ids -= known?.arrived.size ?? 0
    return known
  }

  #store(traceId: TraceId, known: Known): void {
    this.#known.set(traceId, known)
    this.#ids += known.arrived.size
    for (const [oldest] of this.#known) {
      if (this.#known.size <= FILTERED_TRACE_LIMIT && this.#ids <= ID_LIMIT) return
      this.#take(oldest)
    }
  }
}
