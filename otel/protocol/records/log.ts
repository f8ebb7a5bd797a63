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
  /** A hash of the record, 32 hexadecimal digits: a retried record has the same id. */
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
