import { type AttributeValue, NO_ATTRIBUTES } from "#otel/protocol/records/attributes.ts"
import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "#otel/protocol/records/ids.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

export const TRACE_ID = parseTraceId("4bf92f3577b34da6a3ce929d0e0e4736") as TraceId
/** Beyond 2^53, like every real time: a number would lose its last digits. */
export const EPOCH = 1_767_225_600_000_000_001n

export interface SpanSketch extends Partial<Omit<SpanRecord, "spanId" | "parentSpanId" | "startTime" | "endTime">> {
  readonly parent?: number
  /** Nanoseconds after `EPOCH`. */
  readonly from?: bigint
  readonly to?: bigint
  readonly service?: string
}

export function spanId(number: number): SpanId {
  return parseSpanId(number.toString(16).padStart(16, "0")) as SpanId
}

export function makeSpan(number: number, sketch: SpanSketch = {}): SpanRecord {
  const { parent, from = BigInt(number), to = from + 1_000n, service = "web", ...rest } = sketch
  return {
    traceId: TRACE_ID,
    spanId: spanId(number),
    parentSpanId: parent === undefined ? undefined : spanId(parent),
    traceState: "",
    flags: 1,
    name: `span ${number}`,
    kind: "internal",
    startTime: nanoseconds(EPOCH + from),
    endTime: nanoseconds(EPOCH + to),
    status: { code: "unset", message: "" },
    attributes: NO_ATTRIBUTES,
    events: [],
    links: [],
    dropped: { attributes: 0, events: 0, links: 0 },
    resource: { attributes: new Map<string, AttributeValue>([["service.name", service]]), schemaUrl: "" },
    scope: { name: "tests", version: "1", attributes: NO_ATTRIBUTES },
    source: "otlp",
    ...rest,
  }
}
