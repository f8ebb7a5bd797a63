import type { DropJson } from "../inspector/queries/drops/drop-reader.ts"
import type { IssueJson } from "../inspector/queries/errors/issue.ts"
import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import { serviceName, type SpanRecord } from "../protocol/records/span.ts"

/** Lines for people. What arrived is shown as text: control characters, which a terminal would obey, are left out. */

// oxlint-disable-next-line no-control-regex -- they are what is meant
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
const MINUTE_NANOS = 60e9

export function plain(text: string): string {
  return text.replace(CONTROL, " ")
}

/** Three digits and a unit. */
export function duration(nanos: bigint | number | string): string {
  const value = Number(nanos)
  if (value >= MINUTE_NANOS) return `${(value / MINUTE_NANOS).toFixed(1)} min`
  if (value >= 1e9) return `${(value / 1e9).toPrecision(3)} s`
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} ms`
  return `${Number((value / 1e3).toPrecision(3))} µs`
}

function clock(nanos: bigint | string): string {
  return new Date(Number(BigInt(nanos) / 1_000_000n)).toISOString().slice(11, 23)
}

export function spanLine(span: SpanRecord): string {
  const failed =
    span.status.code === "error" ? `  failed${span.status.message ? `: ${plain(span.status.message)}` : ""}` : ""
  const length = duration(span.endTime - span.startTime).padStart(8)
  return `${clock(span.startTime)}  span   ${length}  ${plain(serviceName(span.resource))}  ${plain(span.name)}${failed}  ${span.traceId}`
}

export function errorLine({ lastSeen, title, services, lastTraceId }: IssueJson): string {
  return `${clock(lastSeen)}  error            ${plain(services.join(", "))}  ${plain(title)}  ${lastTraceId ?? ""}`.trimEnd()
}

export function dropLine({ time, stage, reason, category, count, sample }: DropJson): string {
  return `${clock(time)}  drop             ${stage}  ${count} × ${category}: ${reason}  ${plain(sample)}`.trimEnd()
}

export function traceLine({ traceId, name, services, durationNano, spanCount, errorCount }: TraceSummaryJson): string {
  const errors = errorCount === 0 ? "" : `, ${errorCount} failed`
  return `${traceId}  ${duration(durationNano).padStart(8)}  ${plain(services.join(", "))}  ${plain(name)}  (${spanCount} spans${errors})`
}
