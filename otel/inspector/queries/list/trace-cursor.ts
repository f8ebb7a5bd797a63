import type { TraceSummaryJson } from "./trace-summary.ts"

/**
 * The cursor of the trace list, newest first, behind this trace: `after` of the read API, as `next` of a page that ends with the
 * trace. It runs in pages too, which load nothing else with it.
 */
export function traceCursor({
  startTimeUnixNano,
  traceId,
}: Pick<TraceSummaryJson, "startTimeUnixNano" | "traceId">): string {
  return btoa(`traces-time.${startTimeUnixNano}.${traceId}`)
    .replaceAll("=", "")
    .replaceAll("+", "-")
    .replaceAll("/", "_")
}
