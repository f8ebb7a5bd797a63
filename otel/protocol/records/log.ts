import type { Attributes, AttributeValue } from "./attributes.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { InstrumentationScope, Resource, SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * A log record of OpenTelemetry's log data model, whatever protocol brought it.
 *
 * @see https://opentelemetry.io/docs/specs/otel/logs/data-model/
 */
export interface LogRecord {
  /** Made from the record itself, 32 hexadecimal digits: the same record sent twice has the same one. */
  readonly logId: string
  /** When it happened; when it was observed, where that is all that is known. */
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  /** 1 (trace) to 24 (fatal); 0 where the sender did not say. */
  readonly severityNumber: number
  readonly severityText: string
  readonly eventName: string
  readonly body: AttributeValue
  readonly attributes: Attributes
  readonly resource: Resource
  readonly scope: InstrumentationScope
  readonly source: SpanSource
}
