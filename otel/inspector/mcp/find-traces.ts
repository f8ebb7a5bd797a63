import type { AgentReader } from "./agent-reader.ts"
import type { Answer } from "./answer.ts"
import { boundedText, milliseconds, oneLine } from "./bounded-text.ts"

/** Lines of traces, the newest first. */
export async function findTraces(
  reader: AgentReader,
  { filter, since, limit }: { filter: string; since?: string | undefined; limit: number },
): Promise<Answer> {
  const found = await reader.findTraces(filter, since)
  const traces = found.slice(0, limit).map((trace) => ({
    traceId: trace.traceId,
    name: oneLine(trace.name),
    services: trace.services.map((service) => oneLine(service)),
    durationMs: Number(trace.durationNano) / 1e6,
    spans: trace.spanCount,
    errors: trace.errorCount,
  }))
  const lines = traces.map(
    ({ traceId, name, services, durationMs, spans, errors }) =>
      `${traceId} ${milliseconds(durationMs * 1e6)} ${name} (${services.join(", ")}) ${spans} spans${errors > 0 ? `, ${errors} failed` : ""}`,
  )
  const head = `${found.length} traces${found.length > limit ? `, the newest ${limit} of them` : ""}:`
  return { text: boundedText([head, ...lines]), structured: { count: found.length, traces } }
}
