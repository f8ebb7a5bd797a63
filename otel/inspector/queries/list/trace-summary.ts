import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** One line of the trace list. */
export interface TraceSummary {
  readonly traceId: TraceId
  /** Name of the root span; where the root has not arrived, of the earliest span. */
  readonly name: string
  /** Its root has not arrived, so that its earliest span names it. */
  readonly isProvisional: boolean
  /** Distinct `service.name`s, the root's first. */
  readonly services: readonly string[]
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly spanCount: number
  readonly errorCount: number
  readonly sources: readonly SpanSource[]
}

/** A page of the trace list. */
export interface TraceList {
  readonly traces: readonly TraceSummary[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** A trace as `GET /api/traces` and the live feed give it: 64-bit numbers are strings. */
export interface TraceSummaryJson {
  traceId: string
  name: string
  /** Its root has not arrived: it is named after its earliest span. */
  provisional: boolean
  services: string[]
  startTimeUnixNano: string
  durationNano: string
  spanCount: number
  errorCount: number
  sources: string[]
}

export function traceSummaryToJson(summary: TraceSummary): TraceSummaryJson {
  return {
    traceId: summary.traceId,
    name: summary.name,
    provisional: summary.isProvisional,
    services: [...summary.services],
    startTimeUnixNano: String(summary.startTime),
    durationNano: String(summary.duration),
    spanCount: summary.spanCount,
    errorCount: summary.errorCount,
    sources: [...summary.sources],
  }
}
