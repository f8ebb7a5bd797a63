import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import { type FilterTree, parseFilter, pointAtProblem } from "../inspector/search/index.ts"
import { CommandError, EXIT } from "./exit.ts"
import type { InspectorClient } from "./inspector-client.ts"

/** As many traces as the read API gives on a page. */
const PAGE = "1000"

/** @throws {CommandError} pointing at what cannot be read. */
export function readFilter(text: string): FilterTree | undefined {
  const { tree, problem } = parseFilter(text)
  if (problem === undefined) return tree
  throw new CommandError(pointAtProblem(text, problem), EXIT.usage)
}

/** The newest traces that pass the filter, at most a thousand. */
export async function matchingTraces(
  client: InspectorClient,
  filter: string,
  since?: string,
): Promise<readonly TraceSummaryJson[]> {
  readFilter(filter)
  const { traces } = await client.traces({ q: filter, limit: PAGE, ...(since === undefined ? {} : { since }) })
  return traces
}
