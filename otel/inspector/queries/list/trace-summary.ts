import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** One line of the trace list. */
export interface TraceSummary {
  readonly traceId: TraceId
  /** Name of the root span; while the root is missing, of the earliest span. */
  readonly name: string
  /** The root is missing, so the earliest span names the trace. */
  readonly isProvisional: boolean
  /**
   * Start of the span that names the trace, if that is neither a root nor the earliest span: a proxy's run precedes it. Absent in what
   * the store has.
   */
  readonly nameStart?: Nanoseconds
  /** Distinct `service.name`s, the root's first. */
  readonly services: readonly string[]
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly spanCount: number
  /** Spans that failed. */
  readonly errorCount: number
  /** Errors that were reported in the trace, with or without a span that failed. Absent: none, or not read. */
  readonly reportedErrorCount?: number
  readonly sources: readonly SpanSource[]
}

/** The number of errors that a row of the list shows, and by which it is ordered and filtered. */
export function shownErrorCount({ errorCount, reportedErrorCount = 0 }: TraceSummary): number {
  return errorCount || reportedErrorCount
}

/** A page of the trace list. */
export interface TraceList {
  readonly traces: readonly TraceSummary[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** A trace as `GET /api/traces` and the live feed send it: 64-bit numbers are strings. */
export interface TraceSummaryJson {
  traceId: string
  name: string
  /** The root is missing, so the earliest span names the trace. */
  provisional: boolean
  nameStartUnixNano?: string
  services: string[]
  startTimeUnixNano: string
  durationNano: string
  spanCount: number
  errorCount: number
  reportedErrorCount?: number
  sources: string[]
}

export function traceSummaryToJson(summary: TraceSummary): TraceSummaryJson {
  const { nameStart, reportedErrorCount } = summary
  return {
    traceId: summary.traceId,
    name: summary.name,
    provisional: summary.isProvisional,
    ...(nameStart !== undefined && { nameStartUnixNano: String(nameStart) }),
    services: [...summary.services],
    startTimeUnixNano: String(summary.startTime),
    durationNano: String(summary.duration),
    spanCount: summary.spanCount,
    errorCount: summary.errorCount,
    ...(reportedErrorCount !== undefined && { reportedErrorCount }),
    sources: [...summary.sources],
  }
}

export function traceSummaryFromJson(json: TraceSummaryJson): TraceSummary {
  const { nameStartUnixNano: nameStart, reportedErrorCount } = json
  return {
    traceId: json.traceId as TraceId,
    name: json.name,
    isProvisional: json.provisional,
    ...(nameStart !== undefined && { nameStart: BigInt(nameStart) as Nanoseconds }),
    services: json.services,
    startTime: BigInt(json.startTimeUnixNano) as Nanoseconds,
    duration: BigInt(json.durationNano) as Nanoseconds,
    spanCount: json.spanCount,
    errorCount: json.errorCount,
    ...(reportedErrorCount !== undefined && { reportedErrorCount }),
    sources: json.sources as SpanSource[],
  }
}

/** The order of the list: latest start first, then largest id. */
export function newestFirst(a: TraceSummaryJson, b: TraceSummaryJson): number {
  // Nanoseconds of this era have equally many digits, so comparing texts is enough, and avoids a BigInt for each comparison.
  const [startA, startB] = [a.startTimeUnixNano, b.startTimeUnixNano]
  if (startA.length !== startB.length) return startB.length - startA.length
  if (startA !== startB) return startA > startB ? -1 : 1
  return a.traceId > b.traceId ? -1 : 1
}
