import { parseSpanId } from "../../protocol/records/ids.ts"
import { serviceName } from "../../protocol/records/span.ts"
import { AttributeWriter, boundedList, boundedText, delimited, stored } from "../queries/agent-text.ts"
import { criticalPath, pathTimes } from "../queries/trace/critical-path.ts"
import { selfTimes } from "../queries/trace/self-time.ts"
import { valueText } from "../queries/trace/span-detail.ts"
import { milliseconds, offset, ToolError, type ToolQueries, type ToolResult } from "./tool.ts"
import { traceTree, type TraceTree } from "./trace-tree.ts"

/** The tools that look into one trace: trace_topology, critical_path, get_findings and get_span. */

/** Which span called which, without attributes: one indented line for each span, and the web vitals of its pages. */
export async function traceTopology(
  queries: ToolQueries,
  { traceId, maxSpans }: { traceId: string; maxSpans: number },
): Promise<ToolResult> {
  const { tree, cut, omitted } = await readTree(queries, traceId)
  const self = selfTimes(tree)
  const all = tree.spans.slice(0, maxSpans).map((span, row) => ({
    spanId: span.spanId,
    depth: tree.depth[row] ?? 0,
    name: stored(span.name),
    service: stored(serviceName(span.resource)),
    kind: span.kind,
    startMs: (tree.offset[row] ?? 0) / 1e6,
    durationMs: (tree.duration[row] ?? 0) / 1e6,
    selfMs: (self[row] ?? 0) / 1e6,
    failed: span.status.code === "error",
  }))
  const isCut = tree.spans.length > all.length
  const vitals = tree.vitals.slice(0, VITALS)
  const vitalsText = vitals
    .map(({ name, value, rating, spanId }) => `${name} ${value} (${rating}) ${spanId}`)
    .join(", ")
  const { text, entries: spans } = boundedList(
    `${cut}${vitalsText && `Web vitals: ${vitalsText}. `}${tree.spans.length} spans${isCut ? `, the first ${all.length} of them in tree order` : ""}:`,
    all,
    ({ depth, spanId, name, service, startMs, durationMs, selfMs, failed }) =>
      `${indentOf(depth)}${spanId} ${delimited(name)} (${delimited(service)}) at ${offset(startMs * 1e6)} for ${milliseconds(durationMs * 1e6)}, self ${milliseconds(selfMs * 1e6)}${failed ? " FAILED" : ""}`,
  )
  return { text, structured: { spanCount: tree.spans.length, omittedSpans: omitted, spans, vitals } }
}

/** Web vitals that are named: five of each of a few pages. */
const VITALS = 20

/** Levels that are indented. A chain may be as deep as the trace has spans. */
const INDENTED = 40

function indentOf(depth: number): string {
  return "  ".repeat(Math.min(depth, INDENTED))
}

const PIECES = 60

/** The spans that the trace waited for, in order of time. */
export async function getCriticalPath(queries: ToolQueries, { traceId }: { traceId: string }): Promise<ToolResult> {
  const { tree, cut, omitted } = await readTree(queries, traceId)
  const pieces = criticalPath(tree).toReversed()
  const path = pieces
    .slice(0, PIECES)
    .map(({ row, from, to }) => ({ ...identity(tree, row), fromMs: from / 1e6, toMs: to / 1e6 }))
  const total = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
  const lines = path.map(
    ({ spanId, name, service, fromMs, toMs }) =>
      `${offset(fromMs * 1e6)} to ${offset(toMs * 1e6)}: ${spanId} ${delimited(name)} (${delimited(service)})`,
  )
  if (pieces.length > PIECES) lines.push(`(${pieces.length - PIECES} later pieces omitted)`)
  return {
    text: boundedText([
      `${cut}The critical path has ${pieces.length} pieces, ${milliseconds(total)} in all:`,
      ...lines,
    ]),
    structured: { pieces: pieces.length, totalMs: total / 1e6, omittedSpans: omitted, path },
  }
}

const SLOWEST = 12
const FINDING_SPANS = 10

/** What stands out in a trace, as its screen shows it, and the spans that it waited for longest. */
export async function getFindings(queries: ToolQueries, { traceId }: { traceId: string }): Promise<ToolResult> {
  const { tree, cut, omitted } = await readTree(queries, traceId)
  const all = (await queries.findings(traceId)) ?? []
  const findings = all.map(({ kind, title, spanIds, count, durationNano, parentSpanId, parentName, ...first }) => ({
    kind,
    title: stored(title),
    name: stored(first.name),
    service: stored(first.service),
    message: stored(first.message),
    count,
    durationMs: Number(durationNano) / 1e6,
    parentSpanId,
    parentName: parentName === null ? null : stored(parentName),
    spanIds: spanIds.slice(0, FINDING_SPANS),
  }))
  const waitedFor = [...pathTimes(criticalPath(tree))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([row, nanos]) => ({ ...identity(tree, row), pathMs: nanos / 1e6 }))
  const lines = [
    findings.length === 0 ? "Findings: none." : "Findings:",
    ...findings.map(
      ({ kind, title, durationMs, parentSpanId, parentName, message, spanIds }) =>
        `  ${kind}: ${delimited(title)}, ${milliseconds(durationMs * 1e6)}${parentSpanId === null ? "" : `, under ${parentName === null ? "the missing span" : delimited(parentName)} ${parentSpanId}`}${message && `: ${delimited(message)}`}, from ${spanIds[0] ?? "none"}`,
    ),
    `${cut}Waited for longest:`,
    ...waitedFor.map(
      ({ spanId, name, service, pathMs }) =>
        `  ${milliseconds(pathMs * 1e6)} in ${spanId} ${delimited(name)} (${delimited(service)})`,
    ),
  ]
  return { text: boundedText(lines), structured: { findings, waitedFor, omittedSpans: omitted } }
}

const EVENTS = 16
const VALUE_LIMIT = 1_000

/** One span with its attributes, events, links and resource. Secrets are redacted. */
export async function getSpan(
  queries: ToolQueries,
  { traceId, spanId: spanIdText }: { traceId: string; spanId: string },
): Promise<ToolResult> {
  const spanId = parseSpanId(spanIdText)
  const [span] = spanId === undefined ? [] : await queries.span(traceId, spanId)
  if (span === undefined) throw new ToolError(`Trace ${traceId} has no span ${spanIdText}.`)
  const writer = new AttributeWriter(VALUE_LIMIT, valueText)
  const attributes = writer.write(span.attributes)
  const events = span.events
    .slice(0, EVENTS)
    .map(({ name, attributes: each }) => ({ name: stored(name), attributes: writer.write(each) }))
  const resource = writer.write(span.resource.attributes)
  const facts = {
    spanId,
    parentSpanId: span.parentSpanId ?? null,
    name: stored(span.name),
    service: stored(serviceName(span.resource)),
    kind: span.kind,
    durationMs: Number(span.endTime - span.startTime) / 1e6,
    status: span.status.code,
    message: stored(span.status.message, VALUE_LIMIT),
    links: span.links.slice(0, EVENTS).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    omittedAttributes: writer.omitted,
  }
  const message = facts.message && `: ${delimited(facts.message)}`
  const lines = [
    `${delimited(facts.name)} (${delimited(facts.service)}), ${facts.kind}, ${milliseconds(facts.durationMs * 1e6)}, ${facts.status}${message}`,
    ...linesOf(attributes, ""),
    ...events.flatMap((event) => [`event ${delimited(event.name)}`, ...linesOf(event.attributes, "  ")]),
    ...facts.links.map((link) => `link to trace ${link.traceId} span ${link.spanId}`),
    "resource",
    ...linesOf(resource, "  "),
    ...(writer.omitted > 0 ? [`(${writer.omitted} attributes omitted)`] : []),
  ]
  return { text: boundedText(lines), structured: { ...facts, attributes, events, resource } }
}

function linesOf(attributes: Readonly<Record<string, string>>, indent: string): string[] {
  return Object.entries(attributes).map(([key, value]) => `${indent}${delimited(key)} = ${delimited(value)}`)
}

interface ReadTree {
  readonly tree: TraceTree
  /** Spans of the trace that are not in the tree, because the trace is too large. */
  readonly omitted: number
  /** A sentence that says so, with a space; empty for a whole trace. */
  readonly cut: string
}

async function readTree(queries: ToolQueries, traceId: string): Promise<ReadTree> {
  const { spans, stored } = await queries.trace(traceId)
  if (spans.length === 0) throw new ToolError(`No span of trace ${traceId} is stored.`)
  const omitted = stored - spans.length
  const cut = omitted > 0 ? `Only the earliest ${spans.length} of ${stored} spans of the trace were read. ` : ""
  return { tree: traceTree(spans), omitted, cut }
}

function identity({ spans }: TraceTree, row: number) {
  const span = spans[row]
  return {
    spanId: span?.spanId ?? "",
    name: stored(span?.name ?? ""),
    service: span === undefined ? "" : stored(serviceName(span.resource)),
  }
}
