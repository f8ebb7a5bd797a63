import { type Attributes, type SpanContext, SpanKind, type SpanStatus, SpanStatusCode } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

interface FinishedSpan {
  readonly name?: string
  readonly spanId?: string
  readonly parent?: { readonly spanId: string; readonly isRemote?: boolean }
  /** Seconds since the epoch. */
  readonly start?: number
  readonly end?: number
  readonly kind?: SpanKind
  readonly status?: SpanStatus
  readonly attributes?: Attributes
  readonly links?: ReadableSpan["links"]
  readonly events?: ReadableSpan["events"]
  /** In addition to `service.name`. */
  readonly resource?: Attributes
  /** Default: true. */
  readonly sampled?: boolean
}

export const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"

/** A finished span, as the SDK makes it. */
export function finishedSpan(given: FinishedSpan = {}): ReadableSpan {
  const own = context(given.spanId ?? "b7ad6b7169203331", false, given.sampled)
  return {
    name: given.name ?? "span",
    kind: given.kind ?? SpanKind.INTERNAL,
    spanContext: () => own,
    ...(given.parent === undefined ? {} : { parentSpanContext: context(given.parent.spanId, given.parent.isRemote) }),
    startTime: hrTime(given.start ?? 1_000),
    endTime: hrTime(given.end ?? 1_001),
    duration: [0, 0],
    ended: true,
    status: given.status ?? { code: SpanStatusCode.UNSET },
    attributes: given.attributes ?? {},
    events: given.events ?? [],
    links: given.links ?? [],
    resource: resourceFromAttributes({ "service.name": "shop", ...given.resource }),
    instrumentationScope: { name: "test" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function context(spanId: string, isRemote = false, sampled = true): SpanContext {
  return { traceId: TRACE_ID, spanId, traceFlags: sampled ? 1 : 0, ...(isRemote ? { isRemote } : {}) }
}

function hrTime(seconds: number): [number, number] {
  return [Math.trunc(seconds), Math.round((seconds % 1) * 1e9)]
}
