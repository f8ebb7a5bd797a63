import type { SpanRecord } from "../../protocol/records/span.ts"
import type { ItemJson } from "../queries/errors/envelope-items.ts"
import type { IssueJson, DropJson } from "../queries/errors/issue.ts"
import type { TraceSummaryJson } from "../queries/list/trace-summary.ts"

/** What the tools ask of a running inspector. Rejects with words for the agent. */
export interface AgentReader {
  /** The newest traces that pass the filter. */
  findTraces(filter: string, since: string | undefined): Promise<readonly TraceSummaryJson[]>
  /** All spans of the trace, empty when it is unknown. */
  readTrace(traceId: string): Promise<readonly SpanRecord[]>
  findErrors(parameters: Readonly<Record<string, string>>): Promise<readonly IssueJson[]>
  readError(issueId: string): Promise<unknown>
  /** Items of envelopes that came with an event or tell of it. */
  readItemsOfEvent(eventId: string): Promise<readonly ItemJson[]>
  readDrops(limit: number): Promise<readonly DropJson[]>
}
