import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

/** What two batches of one trace make together. A root names it; as long as none has come, the earlier batch does. */
export function mergeTrace(a: TraceSummaryJson, b: TraceSummaryJson): TraceSummaryJson {
  const [startA, startB] = [BigInt(a.startTimeUnixNano), BigInt(b.startTimeUnixNano)]
  const isNamedByB = a.provisional === b.provisional ? startB < startA : a.provisional
  const [first, second] = isNamedByB ? [b, a] : [a, b]
  const start = startA < startB ? startA : startB
  const end = later(startA + BigInt(a.durationNano), startB + BigInt(b.durationNano))
  return {
    ...first,
    services: union(first.services, second.services),
    startTimeUnixNano: String(start),
    durationNano: String(end - start),
    spanCount: a.spanCount + b.spanCount,
    errorCount: a.errorCount + b.errorCount,
    sources: union(first.sources, second.sources),
  }
}

/** The order of the list: by start, then by id, both from the largest on. */
export function newestFirst(a: TraceSummaryJson, b: TraceSummaryJson): number {
  // Nanoseconds of our time have the same number of digits: compared as text they are not read as numbers each time.
  const [startA, startB] = [a.startTimeUnixNano, b.startTimeUnixNano]
  if (startA.length !== startB.length) return startB.length - startA.length
  if (startA !== startB) return startA > startB ? -1 : 1
  return a.traceId > b.traceId ? -1 : 1
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])]
}
