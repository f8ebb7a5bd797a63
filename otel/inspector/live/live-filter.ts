import type { TraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { mergeDeltas } from "../queries/trace/trace-delta.ts"
import { type FilterTree, matchesSpan, matchesSummary, type SpanLeaf, spanQuestions } from "../search/index.ts"

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
