import type { TraceId } from "../../../protocol/records/ids.ts"
import { serviceName, type SpanRecord, type SpanSource } from "../../../protocol/records/span.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { TraceSummary } from "../list/trace-summary.ts"

/** The spans of each trace, in the order in which they came. */
export function spansByTrace(spans: readonly SpanRecord[]): Map<TraceId, SpanRecord[]> {
  const byTrace = new Map<TraceId, SpanRecord[]>()
  for (const span of spans) {
    const known = byTrace.get(span.traceId)
    if (known === undefined) byTrace.set(span.traceId, [span])
    else known.push(span)
  }
  return byTrace
}

/** A summary that knows these spans of a trace and no others. A span that is there twice, by both protocols, counts once. */
export function summariseSpans(traceId: TraceId, spans: readonly SpanRecord[]): TraceSummary {
  const start = spans.reduce((least, { startTime }) => smaller(least, startTime), spans[0]?.startTime ?? NO_TIME)
  const end = spans.reduce((most, { endTime }) => larger(most, endTime), start)
  const head = headOf(spans)
  const services = new Set<string>(head === undefined ? [] : [serviceName(head.resource)])
  const sources = new Set<SpanSource>()
  for (const span of spans) {
    services.add(serviceName(span.resource))
    sources.add(span.source)
  }
  return {
    traceId,
    name: head?.name ?? "",
    isProvisional: head === undefined || !isRoot(head),
    services: [...services],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: distinct(spans),
    errorCount: distinct(spans.filter(({ status }) => status.code === "error")),
    sources: [...sources],
  }
}

const NO_TIME = nanoseconds(0n)

/** The earliest root; without one the earliest span. Where two start together, the smaller id. */
function headOf(spans: readonly SpanRecord[]): SpanRecord | undefined {
  let head: SpanRecord | undefined
  for (const span of spans) if (head === undefined || isBefore(span, head)) head = span
  return head
}

function isBefore(a: SpanRecord, b: SpanRecord): boolean {
  if (isRoot(a) !== isRoot(b)) return isRoot(a)
  return a.startTime === b.startTime ? a.spanId < b.spanId : a.startTime < b.startTime
}

function isRoot({ parentSpanId }: SpanRecord): boolean {
  return parentSpanId === undefined
}

function distinct(spans: readonly SpanRecord[]): number {
  return new Set(spans.map(({ spanId }) => spanId)).size
}

/** Two deltas of one trace as one. A root names it; as long as none has come, the earlier of the two does. */
export function mergeDeltas(earlier: TraceSummary, later: TraceSummary): TraceSummary {
  const start = smaller(earlier.startTime, later.startTime)
  const end = larger(endOf(earlier), endOf(later))
  const [first, second] = isNamedBy(later, earlier) ? [later, earlier] : [earlier, later]
  return {
    traceId: earlier.traceId,
    name: first.name,
    isProvisional: first.isProvisional,
    services: [...new Set([...first.services, ...second.services])],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: earlier.spanCount + later.spanCount,
    errorCount: earlier.errorCount + later.errorCount,
    sources: [...new Set([...earlier.sources, ...later.sources])],
  }
}

/** Whether `candidate` rather than `other` names the trace that both are part of. */
function isNamedBy(candidate: TraceSummary, other: TraceSummary): boolean {
  if (candidate.isProvisional !== other.isProvisional) return other.isProvisional
  return candidate.startTime < other.startTime
}

function endOf({ startTime, duration }: TraceSummary): Nanoseconds {
  return nanoseconds(startTime + duration)
}

function smaller(a: Nanoseconds, b: Nanoseconds): Nanoseconds {
  return a < b ? a : b
}

function larger(a: Nanoseconds, b: Nanoseconds): Nanoseconds {
  return a > b ? a : b
}
