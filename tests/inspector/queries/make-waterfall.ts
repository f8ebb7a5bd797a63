import { SpanIds } from "#otel/inspector/queries/trace/columns/span-ids.ts"
import { textsOf } from "#otel/inspector/queries/trace/columns/typed-arrays.ts"
import { decodeWaterfall, encodeWaterfall } from "#otel/inspector/queries/trace/columns/waterfall-bytes.ts"
import type { TraceOutline } from "#otel/inspector/queries/trace/trace-outline.ts"
import { pageLoads } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { WaterfallColumns } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { readWaterfall, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { layOut } from "#otel/inspector/queries/trace/waterfall.ts"
import { serviceName, SPAN_KINDS, type SpanRecord } from "#otel/protocol/records/span.ts"

/** Spans in the order of the store's outline: by start, the longer first, then by id. */
export function outlineOf(records: readonly SpanRecord[]): TraceOutline {
  const spans = records.toSorted(
    (a, b) => Number(a.startTime - b.startTime) || Number(b.endTime - a.endTime) || (a.spanId < b.spanId ? -1 : 1),
  )
  const startTime = spans[0]?.startTime ?? 0n
  return {
    startTime,
    ids: SpanIds.of(spans.map(({ spanId }) => spanId)),
    parentIds: SpanIds.of(spans.map(({ parentSpanId }) => parentSpanId ?? "")),
    names: textsOf(spans.map(({ name }) => name)),
    services: textsOf(spans.map(({ resource }) => serviceName(resource))),
    kinds: Uint8Array.from(spans, ({ kind }) => SPAN_KINDS.indexOf(kind)),
    offsets: Float64Array.from(spans, (span) => Number(span.startTime - startTime)),
    durations: Float64Array.from(spans, (span) => Math.max(0, Number(span.endTime - span.startTime))),
    errors: Uint8Array.from(spans, ({ status }) => (status.code === "error" ? 1 : 0)),
    cached: Uint8Array.from(spans, ({ startTime, endTime, attributes }) =>
      endTime === startTime && attributes.get("http.response.size") === 0n ? 1 : 0,
    ),
    events: spans.flatMap(({ events }, span) =>
      events.map(({ time, name }) => ({ span, offset: Number(time - startTime), isException: name === "exception" })),
    ),
    stored: spans.length,
  }
}

/** The waterfall of the spans, as the page receives it. */
export function waterfallOf(spans: readonly SpanRecord[]): WaterfallColumns {
  const outline = outlineOf(spans)
  return decodeWaterfall(encodeWaterfall(layOut(outline, pageLoads(spans, outline.startTime))).buffer)
}

export function tableOf(spans: readonly SpanRecord[]): WaterfallTable {
  return readWaterfall(waterfallOf(spans))
}
