import type { TraceId } from "../model/ids.ts"
import { serviceName, type SpanRecord, type SpanSource } from "../model/span.ts"
import { type Nanoseconds, nanoseconds } from "../model/time.ts"
import type { TraceSummary } from "../model/trace-summary.ts"

/** What these spans add to their traces: a summary for each trace that knows these spans and no others. */
export function traceDeltas(spans: readonly SpanRecord[]): TraceSummary[] {
  const byTrace = new Map<TraceId, SpanRecord[]>()
  for (const span of spans) {
    const known = byTrace.get(span.traceId)
    if (known === undefined) byTrace.set(span.traceId, [span])
    else known.push(span)
  }
  return [...byTrace].map(([traceId, ofTrace]) => summarise(traceId, ofTrace))
}

function summarise(traceId: TraceId, spans: readonly SpanRecord[]): TraceSummary {
  const start = spans.reduce((least, { startTime }) => smaller(least, startTime), spans[0]?.startTime ?? NO_TIME)
  const end = spans.reduce((most, { endTime }) => larger(most, endTime), start)
  const head = spans.find(isRoot) ?? spans.find(({ startTime }) => startTime === start)
  const services = new Set<string>(head === undefined ? [] : [serviceName(head.resource)])
  const sources = new Set<SpanSource>()
  for (const span of spans) {
    services.add(serviceName(span.resource))
    sources.add(span.source)
  }
  return {
    traceId,
    name: head?.name ?? "",
    services: [...services],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: spans.length,
    errorCount: spans.filter(({ status }) => status.code === "error").length,
    sources: [...sources],
  }
}

const NO_TIME = nanoseconds(0n)

function isRoot({ parentSpanId }: SpanRecord): boolean {
  return parentSpanId === undefined
}

/** Two deltas of one trace as one. The name is the earlier one's, as spans without a root are named. */
export function mergeDeltas(earlier: TraceSummary, later: TraceSummary): TraceSummary {
  const start = smaller(earlier.startTime, later.startTime)
  const end = larger(endOf(earlier), endOf(later))
  const [first, second] = earlier.startTime <= later.startTime ? [earlier, later] : [later, earlier]
  return {
    traceId: earlier.traceId,
    name: first.name,
    services: [...new Set([...first.services, ...second.services])],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: earlier.spanCount + later.spanCount,
    errorCount: earlier.errorCount + later.errorCount,
    sources: [...new Set([...earlier.sources, ...later.sources])],
  }
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
