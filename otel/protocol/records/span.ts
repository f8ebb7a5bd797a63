import type { Attributes } from "./attributes.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { Nanoseconds } from "./time.ts"

/** In the order of OTLP's `SpanKind` enum, so that the index is the number on the wire. */
export const SPAN_KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

/** In the order of OTLP's `StatusCode` enum, so that the index is the number on the wire. */
export const STATUS_CODES = ["unset", "ok", "error"] as const
export type StatusCode = (typeof STATUS_CODES)[number]

/** The protocol that delivered a span. A span may arrive over both. */
export const SPAN_SOURCES = ["otlp", "sentry"] as const
export type SpanSource = (typeof SPAN_SOURCES)[number]

export interface SpanStatus {
  readonly code: StatusCode
  readonly message: string
}

export interface SpanEvent {
  readonly time: Nanoseconds
  readonly name: string
  readonly attributes: Attributes
  /** How many attributes the SDK dropped. Absent: none, or unknown since neither journal nor store holds it. */
  readonly droppedAttributes?: number
}

export interface SpanLink {
  readonly traceId: TraceId
  readonly spanId: SpanId
  readonly traceState: string
  readonly attributes: Attributes
  /** As `SpanRecord.flags`. Absent: not set, or unknown since neither journal nor store holds it. */
  readonly flags?: number
  /** As in `SpanEvent`. */
  readonly droppedAttributes?: number
}

/** The resource of the span. Spans of one batch share the object. */
export interface Resource {
  readonly attributes: Attributes
  readonly schemaUrl: string
}

export interface InstrumentationScope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  /** Absent: not set, or unknown since neither journal nor store holds it. */
  readonly schemaUrl?: string
}

/** What the SDK dropped from the span, as it reports. */
export interface DroppedCounts {
  readonly attributes: number
  readonly events: number
  readonly links: number
}

/** A finished span, from either protocol. Only `source` differs. */
export interface SpanRecord {
  readonly traceId: TraceId
  readonly spanId: SpanId
  readonly parentSpanId: SpanId | undefined
  readonly traceState: string
  /** W3C trace flags and OTLP's `SPAN_FLAGS_CONTEXT_*` bits, as they came. */
  readonly flags: number
  readonly name: string
  readonly kind: SpanKind
  readonly startTime: Nanoseconds
  readonly endTime: Nanoseconds
  readonly status: SpanStatus
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  readonly dropped: DroppedCounts
  readonly resource: Resource
  readonly scope: InstrumentationScope
  readonly source: SpanSource
}

/** `service.name` of the resource, or `unknown_service` as the specification names a resource without one. */
export function serviceName(resource: Resource): string {
  const name = resource.attributes.get("service.name")
  return typeof name === "string" && name !== "" ? name : "unknown_service"
}
