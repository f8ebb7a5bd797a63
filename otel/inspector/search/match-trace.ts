import type { SpanRecord } from "../../protocol/records/span.ts"
import type { TraceSummary } from "../queries/list/trace-summary.ts"
import { summariseSpans } from "../queries/trace/trace-delta.ts"
import { decide, isDenial, isGroup } from "./decide.ts"
import { matchesSpan } from "./match-span.ts"
import { isWithin, matchesText } from "./match-text.ts"
import type { FilterTree, SpanLeaf, TraceTest } from "./tree.ts"

/** Whether a trace of these spans, and no others, passes the filter. Without a span there is no trace. */
export function matchesTrace(tree: FilterTree, spans: readonly SpanRecord[]): boolean {
  const [first] = spans
  if (first === undefined) return false
  return matchesSummary(tree, summariseSpans(first.traceId, spans), ({ where }) =>
    spans.some((span) => matchesSpan(where, span)),
  )
}

/**
 * The same for a trace whose spans come one after the other: what the list's row says of it, and which of the
 * questions about single spans have been answered by any span so far. Once answered they stay so.
 */
export function matchesSummary(
  tree: FilterTree,
  trace: TraceSummary,
  isAnswered: (question: SpanLeaf) => boolean,
): boolean {
  return decide(tree, (leaf) => (leaf.is === "some span" ? isAnswered(leaf) : passes(leaf, trace)))
}

/** The questions about single spans that the filter asks. */
export function spanQuestions(tree: FilterTree): readonly SpanLeaf[] {
  if (isGroup(tree)) return tree.nodes.flatMap(spanQuestions)
  if (isDenial(tree)) return spanQuestions(tree.node)
  return tree.is === "some span" ? [tree] : []
}

function passes(test: TraceTest, trace: TraceSummary): boolean {
  switch (test.is) {
    case "trace name":
      return matchesText(test.text, trace.name)
    case "trace duration":
      return isWithin(test.range, trace.duration as bigint)
    case "span count":
      return isWithin(test.range, trace.spanCount)
    case "error count":
      return isWithin(test.range, trace.errorCount)
    case "sources":
      return test.all.every((source) => trace.sources.includes(source))
    case "started":
      return trace.startTime >= test.from && (test.to === undefined || trace.startTime < test.to)
  }
}
