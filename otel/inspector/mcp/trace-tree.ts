import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import { SpanIds } from "../queries/trace/columns/span-ids.ts"
import { pick } from "../queries/trace/columns/typed-arrays.ts"
import type { PathColumns } from "../queries/trace/page-server.ts"
import { linkSpans } from "../queries/trace/span-links.ts"
import { pageLoads, type VitalMark, vitalMarks } from "../queries/trace/trace-marks.ts"
import { isVital } from "../queries/trace/trace-outline.ts"

/** The spans of a trace as rows: parents before children, siblings by start time. */
export interface TraceTree extends PathColumns {
  readonly spans: readonly SpanRecord[]
  readonly depth: Int32Array
  /** Nanoseconds since the epoch of the earliest start. */
  readonly startTime: bigint
  /** The web vitals, which have no row. */
  readonly vitals: readonly VitalMark[]
}

const NONE = -1

/** Every span but web vitals is a row, as on the screen. A span whose parent is missing is at the top level, and a ring of parents is cut at its earliest span. */
export function traceTree(records: readonly SpanRecord[]): TraceTree {
  const parents = new Set(records.map(({ parentSpanId }) => parentSpanId))
  const byStart = distinct(records)
    .filter((span) => !isVital(span.name) || parents.has(span.spanId))
    .sort((a, b) => compare(a.startTime, b.startTime))
  const services = byStart.map(({ resource }) => serviceName(resource))
  const links = linkSpans(
    SpanIds.of(byStart.map(({ spanId }) => spanId)),
    SpanIds.of(byStart.map(({ parentSpanId }) => parentSpanId ?? "")),
    { service: (span) => services[span], kind: (span) => byStart[span]?.kind },
  )
  const spans = Array.from(links.order, (index) => byStart[index] as SpanRecord)
  const startTime = byStart[0]?.startTime ?? 0n
  const pages = pageLoads(records, startTime)
  return {
    spans,
    depth: pick(links.depth, links.order),
    startTime,
    vitals: vitalMarks(records, startTime),
    parent: Int32Array.from(links.order, (index) => {
      const above = links.parent[index] ?? NONE
      return above === NONE ? NONE : (links.position[above] ?? NONE)
    }),
    offset: Float64Array.from(spans, (span) => Number(span.startTime - startTime)),
    duration: Float64Array.from(spans, (span) => Math.max(0, Number(span.endTime - span.startTime))),
    pages: new Map(spans.flatMap(({ spanId }, row) => (pages.has(spanId) ? [[row, pages.get(spanId)] as const] : []))),
    name: (row) => spans[row]?.name ?? "",
    kind: (row) => spans[row]?.kind ?? "unspecified",
  }
}

/**
 * A span that arrived by OTLP and by Sentry is one span. An id that two services use, as Zipkin's shared spans do, is two
 * spans.
 */
function distinct(records: readonly SpanRecord[]): SpanRecord[] {
  const byIdentity = new Map<string, SpanRecord>()
  for (const span of records) {
    const identity = `${span.spanId} ${serviceName(span.resource)}`
    if (!byIdentity.has(identity) || span.source === "otlp") byIdentity.set(identity, span)
  }
  return [...byIdentity.values()]
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
