import type { SpanRecord } from "../../protocol/records/span.ts"
import type { DropJson } from "../queries/drops/drop-reader.ts"
import type { ItemJson } from "../queries/errors/envelope-items.ts"
import type { IssueDetailJson, IssueJson } from "../queries/errors/issue.ts"
import type { TraceSummaryJson } from "../queries/list/trace-summary.ts"

/** What every tool has: the queries it runs, the result it returns, and the bounds of its text. */

/** Queries of an inspector, in this process or over HTTP. They reject with a message for the agent. */
export interface ToolQueries {
  /**
   * The newest traces that match the filter.
   *
   * @param since an age or a time, as text.
   */
  traces(filter: string, since: string | undefined): Promise<readonly TraceSummaryJson[]>
  /** All spans of the trace; empty when the trace is unknown. */
  trace(traceId: string): Promise<readonly SpanRecord[]>
  /** @param parameters the query parameters of `GET /api/errors`. */
  errors(parameters: Readonly<Record<string, string>>): Promise<readonly IssueJson[]>
  issue(issueId: string): Promise<IssueDetailJson>
  /** Envelope items that came with an event or refer to it. */
  itemsOfEvent(eventId: string): Promise<readonly ItemJson[]>
  /** The newest drop records. */
  drops(limit: number): Promise<readonly DropJson[]>
}

export interface ToolResult {
  readonly text: string
  readonly structured: Record<string, unknown>
}

/** An input that a tool cannot serve, with a message for the agent. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}

/** Leaves room in an agent's context for its work. */
const TEXT_LIMIT = 16_000

// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g

/** The lines that fit into the limit, and how many do not. */
export function boundedText(lines: readonly string[]): string {
  let length = 0
  const end = lines.findIndex((line) => (length += line.length + 1) > TEXT_LIMIT)
  if (end === -1) return lines.join("\n")
  return [...lines.slice(0, end), `(${lines.length - end} more lines omitted)`].join("\n")
}

/** The text on one line, without control characters. */
export function oneLine(text: string, limit = 200): string {
  const line = text.replaceAll(CONTROL, " ").trim()
  return line.length <= limit ? line : `${line.slice(0, limit)}… (${line.length} characters)`
}

/** Nanoseconds as milliseconds, with three digits. */
export function milliseconds(nanos: number): string {
  return `${Number((nanos / 1e6).toPrecision(3))} ms`
}
