import type { SpanRecord } from "../model/span.ts"
import type { IssueJson, LossJson } from "../wire/issue-json.ts"
import type { ItemJson } from "../wire/item-json.ts"
import type { TraceSummaryJson } from "../wire/trace-summary-json.ts"

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
  readLosses(limit: number): Promise<readonly LossJson[]>
}
