import { serviceName } from "../../protocol/records/span.ts"
import { criticalPath, pathTimes } from "../queries/trace/critical-path.ts"
import { selfTimes } from "../queries/trace/self-time.ts"
import type { AgentReader } from "./agent-reader.ts"
import type { Answer } from "./answer.ts"
import { boundedText, milliseconds, oneLine } from "./bounded-text.ts"
import { readTree } from "./trace-topology.ts"
import type { TraceTree } from "./trace-tree.ts"

const PIECES = 60
const SUSPECTS = 12
/** So many siblings of one name are most likely a loop: N + 1 queries. */
const REPEATED = 5

/** What the trace waited for, in the order of time. */
export async function readCriticalPath(reader: AgentReader, { traceId }: { traceId: string }): Promise<Answer> {
  const tree = await readTree(reader, traceId)
  const pieces = criticalPath(tree).toReversed()
  const path = pieces
    .slice(0, PIECES)
    .map(({ row, from, to }) => ({ ...told(tree, row), fromMs: from / 1e6, toMs: to / 1e6 }))
  const total = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
  const lines = path.map(
    ({ spanId, name, service, fromMs, toMs }) =>
      `${milliseconds(fromMs * 1e6)} to ${milliseconds(toMs * 1e6)}: ${spanId} ${name} (${service})`,
  )
  if (pieces.length > PIECES) lines.push(`(${pieces.length - PIECES} later pieces are left out)`)
  return {
    text: boundedText([`The critical path has ${pieces.length} pieces, ${milliseconds(total)} in all:`, ...lines]),
    structured: { pieces: pieces.length, totalMs: total / 1e6, path },
  }
}

/** The spans to look at first: those that the trace waited for longest, that failed, or that were repeated. */
export async function suspectSpans(reader: AgentReader, { traceId }: { traceId: string }): Promise<Answer> {
  const tree = await readTree(reader, traceId)
  const self = selfTimes(tree)
  const onPath = [...pathTimes(criticalPath(tree))].sort(([, a], [, b]) => b - a).slice(0, SUSPECTS)
  const slow = onPath.map(([row, nanos]) => ({
    ...told(tree, row),
    pathMs: nanos / 1e6,
    selfMs: (self[row] ?? 0) / 1e6,
  }))
  const failed = tree.spans
    .map((span, row) => ({ span, row }))
    .filter(({ span }) => span.status.code === "error")
    .slice(0, SUSPECTS)
    .map(({ span, row }) => ({ ...told(tree, row), message: oneLine(span.status.message) }))
  const repeated = repeatedSiblings(tree).slice(0, SUSPECTS)
  const lines = [
    "Waited for longest:",
    ...slow.map(
      ({ spanId, name, service, pathMs }) => `  ${milliseconds(pathMs * 1e6)} in ${spanId} ${name} (${service})`,
    ),
    ...(failed.length === 0 ? [] : ["Failed:"]),
    ...failed.map(
      ({ spanId, name, service, message }) => `  ${spanId} ${name} (${service})${message && `: ${message}`}`,
    ),
    ...(repeated.length === 0 ? [] : ["Repeated under one parent:"]),
    ...repeated.map(
      ({ name, count, totalMs, parentSpanId }) =>
        `  ${count} × ${name}, ${milliseconds(totalMs * 1e6)} in all, under ${parentSpanId}`,
    ),
  ]
  return { text: boundedText(lines), structured: { slow, failed, repeated } }
}

function told({ spans }: TraceTree, row: number) {
  const span = spans[row]
  return {
    spanId: span?.spanId ?? "",
    name: oneLine(span?.name ?? ""),
    service: span === undefined ? "" : oneLine(serviceName(span.resource)),
  }
}

function repeatedSiblings(tree: TraceTree) {
  const groups = new Map<string, { name: string; parentSpanId: string; count: number; totalMs: number }>()
  for (const [row, span] of tree.spans.entries()) {
    const parent = tree.parent[row] ?? -1
    if (parent === -1) continue
    const key = `${parent} ${span.name}`
    const group = groups.get(key) ?? {
      name: oneLine(span.name),
      parentSpanId: tree.spans[parent]?.spanId ?? "",
      count: 0,
      totalMs: 0,
    }
    group.count++
    group.totalMs += (tree.duration[row] ?? 0) / 1e6
    groups.set(key, group)
  }
  return [...groups.values()].filter(({ count }) => count >= REPEATED).sort((a, b) => b.totalMs - a.totalMs)
}
