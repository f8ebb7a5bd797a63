import { decodeMessage } from "./decode-message.ts"
import type { OtlpEncoding } from "./encoding.ts"
import type { RawMessage } from "./record-reader.ts"
import type { Undecodable } from "./undecodable.ts"

/**
 * How many records a request holds: to refuse what is too much before it is read, and to name the number in the full
 * partial success of signals that are not kept. What is no list or object where the protocol has one counts nothing.
 */
export type RecordCount = { readonly ok: true; readonly count: number } | Undecodable

export function countSpans(request: RawMessage): number {
  return countIn(below(below([request], "resourceSpans"), "scopeSpans"), "spans")
}

export function countLogRecords(request: RawMessage): number {
  return countIn(below(below([request], "resourceLogs"), "scopeLogs"), "logRecords")
}

const METRIC_DATA = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"] as const

export function countDataPoints(body: Uint8Array, encoding: OtlpEncoding): RecordCount {
  const request = decodeMessage(body, encoding, "ExportMetricsServiceRequest")
  if (!request.ok) return request
  const metrics = below(below(below([request.message], "resourceMetrics"), "scopeMetrics"), "metrics")
  const data = METRIC_DATA.flatMap((kind) => metrics.map((metric) => metric[kind]).filter(isMessage))
  return { ok: true, count: countIn(data, "dataPoints") }
}

function below(messages: readonly RawMessage[], field: string): RawMessage[] {
  return messages.flatMap((message) => {
    const value = message[field]
    return Array.isArray(value) ? value.filter(isMessage) : []
  })
}

function countIn(messages: readonly RawMessage[], field: string): number {
  return messages.reduce((sum, message) => {
    const value = message[field]
    return Array.isArray(value) ? sum + value.length : sum
  }, 0)
}

function isMessage(value: unknown): value is RawMessage {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
