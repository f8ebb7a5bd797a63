import { serviceName } from "../../protocol/records/span.ts"
import { selfTimes } from "../queries/trace/self-time.ts"
import type { AgentReader } from "./agent-reader.ts"
import { type Answer, ToolError } from "./answer.ts"
import { boundedText, milliseconds, oneLine } from "./bounded-text.ts"
import { traceTree, type TraceTree } from "./trace-tree.ts"

/** @throws {ToolError} when no span of it is known. */
export async function readTree(reader: AgentReader, traceId: string): Promise<TraceTree> {
  const spans = await reader.readTrace(traceId)
  if (spans.length === 0) throw new ToolError(`No span of trace ${traceId} is known.`)
  return traceTree(spans)
}

/** What called what, without attributes: a line a span, indented. */
export async function traceTopology(
  reader: AgentReader,
  { traceId, maxSpans }: { traceId: string; maxSpans: number },
): Promise<Answer> {
  const tree = await readTree(reader, traceId)
  const self = selfTimes(tree)
  const spans = tree.spans.slice(0, maxSpans).map((span, row) => ({
    spanId: span.spanId,
    depth: tree.depth[row] ?? 0,
    name: oneLine(span.name),
    service: oneLine(serviceName(span.resource)),
    kind: span.kind,
    startMs: (tree.offset[row] ?? 0) / 1e6,
    durationMs: (tree.duration[row] ?? 0) / 1e6,
    selfMs: (self[row] ?? 0) / 1e6,
    failed: span.status.code === "error",
  }))
  const lines = spans.map(
    ({ depth, spanId, name, service, startMs, durationMs, selfMs, failed }) =>
      `${"  ".repeat(depth)}${spanId} ${name} (${service}) at ${milliseconds(startMs * 1e6)} for ${milliseconds(durationMs * 1e6)}, self ${milliseconds(selfMs * 1e6)}${failed ? " FAILED" : ""}`,
  )
  const left = tree.spans.length - spans.length
  const head = `${tree.spans.length} spans${left > 0 ? `, the first ${spans.length} of them in tree order` : ""}:`
  return { text: boundedText([head, ...lines]), structured: { spanCount: tree.spans.length, spans } }
}
