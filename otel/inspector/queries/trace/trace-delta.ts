import { isProxyRunName } from "../../../protocol/proxy-run.ts"
import type { TraceId } from "../../../protocol/records/ids.ts"
import { serviceName, type SpanRecord, type SpanSource } from "../../../protocol/records/span.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import {
  type TraceSummary,
  traceSummaryFromJson,
  type TraceSummaryJson,
  traceSummaryToJson,
} from "../list/trace-summary.ts"
import { isVital } from "./trace-outline.ts"

/** Deltas of traces: summaries of spans that just arrived, and how they merge into what is known of a trace. */

/** The spans of each trace, in the order given. */
export function spansByTrace(spans: readonly SpanRecord[]): Map<TraceId, SpanRecord[]> {
  const byTrace = new Map<TraceId, SpanRecord[]>()
  for (const span of spans) {
    const known = byTrace.get(span.traceId)
    if (known === undefined) byTrace.set(span.traceId, [span])
    else known.push(span)
  }
  return byTrace
}

const NO_TIME = nanoseconds(0n)

/**
 * Summarizes these spans of a trace and no others. A span that both protocols reported counts once. A web vital that settles
 * later is no time of the trace.
 */
export function summariseSpans(traceId: TraceId, spans: readonly SpanRecord[]): TraceSummary {
  const start = spans.reduce((least, { startTime }) => smaller(least, startTime), spans[0]?.startTime ?? NO_TIME)
  const end = spans.reduce((most, { name, endTime }) => (isVital(name) ? most : larger(most, endTime)), start)
  const head = headOf(spans)
  const isProvisional = !spans.some(isRoot)
  const services = new Set<string>(head === undefined ? [] : [serviceName(head.resource)])
  const sources = new Set<SpanSource>()
  for (const span of spans) {
    services.add(serviceName(span.resource))
    sources.add(span.source)
  }
  return {
    traceId,
    name: head?.name ?? "",
    isProvisional,
    ...(head !== undefined && nameStartOf({ isRoot: isRoot(head), start: head.startTime }, isProvisional, start)),
    services: [...services],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: distinct(spans),
    errorCount: distinct(spans.filter(({ status }) => status.code === "error")),
    sources: [...sources],
  }
}

/** As `HEAD_ORDER` of the store: no run of a proxy; the earliest root, or span; then the smaller id; then as OTLP sent it. */
function headOf(spans: readonly SpanRecord[]): SpanRecord | undefined {
  let head: SpanRecord | undefined
  for (const span of spans) if (head === undefined || isBefore(span, head)) head = span
  return head
}

function isBefore(a: SpanRecord, b: SpanRecord): boolean {
  if (isProxyRunName(a.name) !== isProxyRunName(b.name)) return isProxyRunName(b.name)
  if (isRoot(a) !== isRoot(b)) return isRoot(a)
  if (a.startTime !== b.startTime) return a.startTime < b.startTime
  return a.spanId === b.spanId ? a.source < b.source : a.spanId < b.spanId
}

function isRoot({ parentSpanId }: SpanRecord): boolean {
  return parentSpanId === undefined
}

function distinct(spans: readonly SpanRecord[]): number {
  return new Set(spans.map(({ spanId }) => spanId)).size
}

/** The span that names a trace. */
interface NamingSpan {
  readonly isRoot: boolean
  readonly start: Nanoseconds
}

function namingSpan({ isProvisional, nameStart, startTime }: TraceSummary): NamingSpan {
  return { isRoot: !isProvisional && nameStart === undefined, start: nameStart ?? startTime }
}

/** What a summary has to say of the span that names it, besides what `namingSpan` can tell without. */
function nameStartOf({ isRoot: isNamedByRoot, start }: NamingSpan, isProvisional: boolean, traceStart: Nanoseconds) {
  return isNamedByRoot || (isProvisional && start === traceStart) ? undefined : { nameStart: start }
}

/**
 * Two deltas of one trace as one. A root names the trace; while the root is missing, its earliest span, and the run of a proxy if there
 * is nothing else. Deltas of arriving spans have no number of reported errors: the one that is known stays.
 */
export function mergeDeltas(earlier: TraceSummary, later: TraceSummary): TraceSummary {
  const start = smaller(earlier.startTime, later.startTime)
  const end = larger(endOf(earlier), endOf(later))
  const [first, second] = isNamedBy(later, earlier) ? [later, earlier] : [earlier, later]
  const isProvisional = earlier.isProvisional && later.isProvisional
  const reportedErrorCount = earlier.reportedErrorCount ?? later.reportedErrorCount
  return {
    traceId: earlier.traceId,
    name: first.name,
    isProvisional,
    ...nameStartOf(namingSpan(first), isProvisional, start),
    services: [...new Set([...first.services, ...second.services])],
    startTime: start,
    duration: nanoseconds(end - start),
    spanCount: earlier.spanCount + later.spanCount,
    errorCount: earlier.errorCount + later.errorCount,
    ...(reportedErrorCount !== undefined && { reportedErrorCount }),
    sources: [...new Set([...earlier.sources, ...later.sources])],
  }
}

/** As `mergeDeltas`, for a page that has a trace as JSON and receives a delta of it. */
export function mergeDeltaJson(earlier: TraceSummaryJson, later: TraceSummaryJson): TraceSummaryJson {
  return traceSummaryToJson(mergeDeltas(traceSummaryFromJson(earlier), traceSummaryFromJson(later)))
}

/** Whether `candidate` rather than `other` names the trace of both. */
function isNamedBy(candidate: TraceSummary, other: TraceSummary): boolean {
  if (isProxyRunName(candidate.name) !== isProxyRunName(other.name)) return isProxyRunName(other.name)
  const [one, another] = [namingSpan(candidate), namingSpan(other)]
  return one.isRoot === another.isRoot ? one.start < another.start : one.isRoot
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
