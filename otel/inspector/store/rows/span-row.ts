import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import {
  SPAN_SOURCES,
  type SpanEvent,
  type SpanLink,
  type SpanRecord,
  type SpanSource,
} from "../../../protocol/records/span.ts"
import { nanoseconds } from "../../../protocol/records/time.ts"
import type { SpanExacts, SpanTypes } from "./span-block.ts"
import { fromNanosText, kindOfName, statusOfName } from "./stored-values.ts"
import { restoreAttributes } from "./stored-attributes.ts"

/**
 * A row of `otel_traces` as the statement below selects it. Maps come as two arrays: as a JSON object they would lose
 * their order.
 */
export interface TraceRow {
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: string
  readonly service: string
  readonly start: string
  readonly duration: string
  readonly status: string
  readonly statusMessage: string
  readonly scopeName: string
  readonly scopeVersion: string
  readonly resourceKeys: readonly string[]
  readonly resourceValues: readonly string[]
  readonly keys: readonly string[]
  readonly values: readonly string[]
  readonly eventTimes: readonly string[]
  readonly eventNames: readonly string[]
  readonly eventKeys: readonly (readonly string[])[]
  readonly eventValues: readonly (readonly string[])[]
  readonly linkTraceIds: readonly string[]
  readonly linkSpanIds: readonly string[]
  readonly linkStates: readonly string[]
  readonly linkKeys: readonly (readonly string[])[]
  readonly linkValues: readonly (readonly string[])[]
}

export const TRACE_ROW_COLUMNS = `
  SpanId AS spanId, ParentSpanId AS parentSpanId, TraceState AS traceState, SpanName AS name, SpanKind AS kind,
  ServiceName AS service, toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration,
  StatusCode AS status, StatusMessage AS statusMessage, ScopeName AS scopeName, ScopeVersion AS scopeVersion,
  mapKeys(ResourceAttributes) AS resourceKeys, mapValues(ResourceAttributes) AS resourceValues,
  mapKeys(SpanAttributes) AS keys, mapValues(SpanAttributes) AS values,
  arrayMap(t -> toString(toUnixTimestamp64Nano(t)), Events.Timestamp) AS eventTimes, Events.Name AS eventNames,
  arrayMap(m -> mapKeys(m), Events.Attributes) AS eventKeys, arrayMap(m -> mapValues(m), Events.Attributes) AS eventValues,
  Links.TraceId AS linkTraceIds, Links.SpanId AS linkSpanIds, Links.TraceState AS linkStates,
  arrayMap(m -> mapKeys(m), Links.Attributes) AS linkKeys, arrayMap(m -> mapValues(m), Links.Attributes) AS linkValues`

/** What `pagespan_spans` adds to a span. */
export interface SpanDetail {
  readonly source: SpanSource
  readonly flags: number
  readonly dropped: { readonly attributes: number; readonly events: number; readonly links: number }
  readonly schemaUrl: string
  readonly scopeKeys: readonly string[]
  readonly scopeValues: readonly string[]
  readonly types: SpanTypes
  readonly exacts: SpanExacts
}

/** For spans that others, such as a collector, insert into `otel_traces`. */
export const NO_DETAIL: SpanDetail = {
  source: SPAN_SOURCES[0],
  flags: 0,
  dropped: { attributes: 0, events: 0, links: 0 },
  schemaUrl: "",
  scopeKeys: [],
  scopeValues: [],
  types: {},
  exacts: {},
}

export function toSpanRecord(traceId: TraceId, row: TraceRow, detail: SpanDetail): SpanRecord {
  const { types, exacts } = detail
  const startTime = fromNanosText(row.start)
  return {
    traceId,
    spanId: row.spanId as SpanId,
    parentSpanId: row.parentSpanId === "" ? undefined : (row.parentSpanId as SpanId),
    traceState: row.traceState,
    flags: detail.flags,
    name: row.name,
    kind: kindOfName(row.kind),
    startTime,
    endTime: nanoseconds(startTime + fromNanosText(row.duration)),
    status: { code: statusOfName(row.status), message: row.statusMessage },
    attributes: restoreAttributes(row.keys, row.values, types.s, exacts.s),
    events: eventsOf(row, detail),
    links: linksOf(row, detail),
    dropped: detail.dropped,
    resource: {
      attributes: restoreAttributes(row.resourceKeys, row.resourceValues, types.r, exacts.r),
      schemaUrl: detail.schemaUrl,
    },
    scope: {
      name: row.scopeName,
      version: row.scopeVersion,
      attributes: restoreAttributes(detail.scopeKeys, detail.scopeValues, types.c, exacts.c),
    },
    source: detail.source,
  }
}

function eventsOf(row: TraceRow, { types, exacts }: SpanDetail): SpanEvent[] {
  return row.eventTimes.map((time, index) => ({
    time: fromNanosText(time),
    name: row.eventNames[index] ?? "",
    attributes: restoreAttributes(
      row.eventKeys[index] ?? [],
      row.eventValues[index] ?? [],
      types.e?.[index],
      exacts.e?.[index],
    ),
  }))
}

function linksOf(row: TraceRow, { types, exacts }: SpanDetail): SpanLink[] {
  return row.linkTraceIds.map((traceId, index) => ({
    traceId: traceId as TraceId,
    spanId: (row.linkSpanIds[index] ?? "") as SpanId,
    traceState: row.linkStates[index] ?? "",
    attributes: restoreAttributes(
      row.linkKeys[index] ?? [],
      row.linkValues[index] ?? [],
      types.l?.[index],
      exacts.l?.[index],
    ),
  }))
}
