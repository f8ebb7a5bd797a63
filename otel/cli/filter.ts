import { type FilterTree, matchesSummary, matchesTrace, parseFilter, spanQuestions } from "../query/filter/index.ts"
import type { TraceSummaryJson } from "../wire/trace-summary-json.ts"
import { nanoseconds } from "../model/time.ts"
import { parseTraceId } from "../model/ids.ts"
import type { SpanSource } from "../model/span.ts"
import { CommandError, EXIT } from "./exit.ts"
import type { InspectorClient } from "./inspector-client.ts"

/** As many traces as the read API gives on a page. */
const PAGE = "1000"

/** @throws {CommandError} pointing at what cannot be read. */
export function readFilter(text: string): FilterTree | undefined {
  const { tree, problem } = parseFilter(text)
  if (problem === undefined) return tree
  const pointer = " ".repeat(problem.start) + "^".repeat(Math.max(1, problem.end - problem.start))
  throw new CommandError(`${problem.message}\n  ${text}\n  ${pointer}`, EXIT.usage)
}

/** The newest traces that pass the filter, at most a thousand are looked at. */
export async function matchingTraces(
  client: InspectorClient,
  text: string,
  since?: string,
): Promise<readonly TraceSummaryJson[]> {
  const tree = readFilter(text)
  const { traces } = await client.traces({ q: text, limit: PAGE, ...(since === undefined ? {} : { since }) })
  if (tree === undefined) return traces
  const found: TraceSummaryJson[] = []
  for (const trace of traces) if (await passes(client, tree, trace)) found.push(trace)
  return found
}

/** Reads the spans only where the filter asks about them. */
async function passes(client: InspectorClient, tree: FilterTree, trace: TraceSummaryJson): Promise<boolean> {
  if (spanQuestions(tree).length > 0) return matchesTrace(tree, await client.trace(trace.traceId))
  const traceId = parseTraceId(trace.traceId)
  if (traceId === undefined) return false
  const summary = {
    traceId,
    name: trace.name,
    isProvisional: trace.provisional,
    services: trace.services,
    startTime: nanoseconds(BigInt(trace.startTimeUnixNano)),
    duration: nanoseconds(BigInt(trace.durationNano)),
    spanCount: trace.spanCount,
    errorCount: trace.errorCount,
    sources: trace.sources as SpanSource[],
  }
  return matchesSummary(tree, summary, () => false)
}
