import type { Attributes, AttributeValue } from "./attributes.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { InstrumentationScope, Resource, SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * A log record of OpenTelemetry's log data model, from either protocol.
 *
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/
 */
export interface LogRecord {
  /** See `withLogId` of `log-id.ts`. */
  readonly logId: string
  /** Its timestamp, else the time it was observed, else the time of arrival. */
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  /** 1 (trace) to 24 (fatal); 0 if unset. */
  readonly severityNumber: number
  readonly severityText: string
  readonly eventName: string
  readonly body: AttributeValue
  readonly attributes: Attributes
  readonly resource: Resource
  readonly scope: InstrumentationScope
  readonly source: SpanSource
}

/** Severities of OpenTelemetry's log data model, least severe first. */
export const SEVERITIES = ["trace", "debug", "info", "warn", "error", "fatal"] as const
export type Severity = (typeof SEVERITIES)[number]

/** The first number of each severity's range of four, by the names that SDKs use in lower case. */
export const SEVERITY_NUMBERS: ReadonlyMap<string, number> = new Map([
  ["trace", 1],
  ["debug", 5],
  ["info", 9],
  ["warn", 13],
  ["warning", 13],
  ["error", 17],
  ["fatal", 21],
])

/**
 * The severity of a record: by its number, or by its text where the number is unset. `undefined` when neither says.
 *
 * @example severityOf({ severityNumber: 0, severityText: "WARN" }) // "warn"
 */
export function severityOf({
  severityNumber,
  severityText,
}: Pick<LogRecord, "severityNumber" | "severityText">): Severity | undefined {
  const number = severityNumber > 0 ? severityNumber : SEVERITY_NUMBERS.get(severityText.toLowerCase())
  return number === undefined ? undefined : SEVERITIES[Math.min(Math.floor((number - 1) / 4), SEVERITIES.length - 1)]
}
