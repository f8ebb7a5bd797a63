import type { SpanRecord } from "../../protocol/records/span.ts"
import type { BudgetRequest } from "../queries/budgets/budget-request.ts"
import type { BudgetReport } from "../queries/budgets/budgets.ts"
import type { ComparisonJson } from "../queries/compare/comparison-json.ts"
import type { DropJson } from "../queries/drops/drop-reader.ts"
import type { ItemJson } from "../queries/errors/envelope-items.ts"
import type { IssueDetailJson, IssueJson } from "../queries/errors/issue.ts"
import type { DifferencesJson } from "../queries/list/differences.ts"
import type { LogJson } from "../queries/logs/log-json.ts"
import type { TraceSummaryJson } from "../queries/list/trace-summary.ts"
import type { ServiceJson, ServicesJson } from "../queries/services/service-json.ts"
import type { JourneyJson } from "../queries/sessions/journey.ts"
import type { Finding } from "../queries/trace/findings/findings.ts"
import { type Field, misspelledFields } from "../search/index.ts"

/** What every tool has: the queries it runs, the result it returns, and its errors. */

/** The earliest spans of a trace, as many as an answer may hold. */
export interface ReadTrace {
  readonly spans: readonly SpanRecord[]
  /** Spans that are stored; more than were read where the trace has more than one answer may hold. */
  readonly stored: number
}

/** Queries of an inspector, in this process or over HTTP. They reject with a message for the agent. */
export interface ToolQueries {
  /**
   * The newest traces that match the filter.
   *
   * @param since an age or a time, as text.
   */
  traces(filter: string, since: string | undefined): Promise<readonly TraceSummaryJson[]>
  /**
   * What differs between the traces of a filter and the others of a baseline.
   *
   * @param parameters the query parameters of `GET /api/traces/differences`.
   */
  differences(parameters: Readonly<Record<string, string>>): Promise<DifferencesJson>
  /** The spans of the trace; none when the trace is unknown. */
  trace(traceId: string): Promise<ReadTrace>
  /** A span as each protocol reported it, OTLP first; empty when the span is unknown. */
  span(traceId: string, spanId: string): Promise<readonly SpanRecord[]>
  /** What stands out in the trace; `undefined` when the trace is unknown. */
  findings(traceId: string): Promise<readonly Finding[] | undefined>
  /** @param parameters the query parameters of `GET /api/errors`. */
  errors(parameters: Readonly<Record<string, string>>): Promise<readonly IssueJson[]>
  issue(issueId: string): Promise<IssueDetailJson>
  /** Envelope items that came with an event or refer to it. */
  itemsOfEvent(eventId: string): Promise<readonly ItemJson[]>
  /**
   * A page of logs: of a trace by time, else newest first.
   *
   * @param query the query parameters of `GET /api/logs`.
   */
  logs(traceId: string | undefined, query: Readonly<Record<string, string>>): Promise<readonly LogJson[]>
  /** Two filters side by side. @param parameters the query parameters of `GET /api/compare`. */
  compare(parameters: Readonly<Record<string, string>>): Promise<ComparisonJson>
  /** The services of a time window. @param parameters the query parameters of `GET /api/services`. */
  services(parameters: Readonly<Record<string, string>>): Promise<ServicesJson>
  service(name: string, parameters: Readonly<Record<string, string>>): Promise<ServiceJson>
  session(sessionId: string): Promise<JourneyJson>
  /** The verdict on each limit of budgets. */
  budgets(request: BudgetRequest): Promise<BudgetReport>
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

/** Nanoseconds as milliseconds, with three digits. */
export function milliseconds(nanos: number): string {
  return `${Number((nanos / 1e6).toPrecision(3))} ms`
}

/** A time since the start of a trace, to the microsecond: spans begin that close to each other. */
export function offset(nanos: number): string {
  return `${Number((nanos / 1e6).toFixed(3))} ms`
}

/** The first line of an answer, below a sentence for each probable misspelling in the filter. */
export function headOf(filter: string, head: string, fields?: readonly Field[]): string {
  return [...misspelledFields(filter, fields), head].join("\n")
}
