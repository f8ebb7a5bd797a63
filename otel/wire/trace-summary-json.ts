import type { TraceSummary } from "../model/trace-summary.ts"

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
