import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import type { TimeColumns } from "../queries/trace/self-time.ts"

/** The spans of a trace as rows, parents before children, siblings by start time. */
export interface TraceTree extends TimeColumns {
  readonly spans: readonly SpanRecord[]
  readonly depth: readonly number[]
  /** Nanoseconds since the epoch of the earliest start. */
  readonly startTime: bigint
}

/** Every span is a row: one whose parent has not come stands at the top, and so does what is left of a ring of parents. */
export function traceTree(records: readonly SpanRecord[]): TraceTree {
  const spans = distinct(records).sort((a, b) => compare(a.startTime, b.startTime))
  const byId = new Map(spans.map((span, index) => [span.spanId, index]))
  const children = new Map<number, number[]>()
  for (const [index, span] of spans.entries()) {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId)
    const above = parent === undefined || parent === index ? TOP : parent
    children.set(above, [...(children.get(above) ?? []), index])
  }
  const rows = depthFirst(children, spans.length)
  const position = new Map(rows.map(({ span }, row) => [span, row]))
  const startTime = spans[0]?.startTime ?? 0n
  const ofRow = rows.map(({ span }) => spans[span] as SpanRecord)
  return {
    spans: ofRow,
    depth: rows.map(({ depth }) => depth),
    startTime,
    parent: Int32Array.from(rows, ({ above }) => (above === TOP ? TOP : (position.get(above) ?? TOP))),
    offset: Float64Array.from(ofRow, (span) => Number(span.startTime - startTime)),
    duration: Float64Array.from(ofRow, (span) => Math.max(0, Number(span.endTime - span.startTime))),
  }
}

const TOP = -1

interface Row {
  readonly span: number
  readonly above: number
  readonly depth: number
}

function depthFirst(children: ReadonlyMap<number, readonly number[]>, count: number): Row[] {
  const rows: Row[] = []
  const seen = new Set<number>()
  const visit = (top: readonly number[]) => {
    const stack: Row[] = top.toReversed().map((span) => ({ span, above: TOP, depth: 0 }))
    for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
      if (seen.has(row.span)) continue
      seen.add(row.span)
      rows.push(row)
      const below = children.get(row.span) ?? []
      for (const span of below.toReversed()) stack.push({ span, above: row.span, depth: row.depth + 1 })
    }
  }
  visit(children.get(TOP) ?? [])
  for (let span = 0; span < count; span++) if (!seen.has(span)) visit([span])
  return rows
}

/** By OTLP and by Sentry the same span may come twice; by one id from two services, as of Zipkin, two spans. */
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
