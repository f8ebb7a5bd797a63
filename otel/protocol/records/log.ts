import { type Attributes, attributeText, type AttributeValue } from "./attributes.ts"
import { recordId, type SpanId, type TraceId } from "./ids.ts"
import type { InstrumentationScope, Resource, SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * A log record of OpenTelemetry's log data model, from either protocol.
 *
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/
 */
export interface LogRecord {
  /** See `withLogId`. */
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

/** The texts of resources, which the records of a request share. */
const resourceTexts = new WeakMap<Resource, string>()

/**
 * Adds the id by which the store knows a record again: a hash of all that it says, 32 hexadecimal digits. Records with equal
 * ids are one, so only a record of a retried request has that of another.
 *
 * @param position index in the request, which distinguishes equal records of one request.
 */
export function withLogId(log: Omit<LogRecord, "logId">, position: number): LogRecord {
  const { attributes, body, eventName, resource, severityNumber, severityText, source, spanId, time, traceId } = log
  let resourceText = resourceTexts.get(resource)
  if (resourceText === undefined) {
    resourceText = attributeText(resource.attributes)
    resourceTexts.set(resource, resourceText)
  }
  const numbers = [time, position, severityNumber].join(" ")
  const texts = [severityText, eventName, attributeText(body), attributeText(attributes), resourceText]
  return { ...log, logId: recordId(source, numbers, traceId ?? "", spanId ?? "", ...texts) }
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
