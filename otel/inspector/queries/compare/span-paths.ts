import { LEVELS, type Measured } from "./comparison.ts"
import type { SampledTrace } from "./compare-reader.ts"

/** Spans by their path: the services and names of their ancestors, the outermost first, then their own. */

export interface PathStep {
  readonly service: string
  readonly name: string
}

export interface MeasuredPath {
  readonly path: readonly PathStep[]
  readonly a: Measured
  readonly b: Measured
}

/** Longest path. Spans below it are left out. */
export const DEPTH_LIMIT = 32

interface PathNode extends PathStep {
  readonly parent: PathNode | undefined
  readonly depth: number
  readonly children: Map<string, PathNode>
  readonly a: Durations
  readonly b: Durations
}

interface Durations {
  readonly values: number[]
  failed: number
}

/** Every path of two samples, with what each side measured on it. */
export function measurePaths(a: readonly SampledTrace[], b: readonly SampledTrace[]): MeasuredPath[] {
  const top = nodeOf({ service: "", name: "" }, undefined)
  const nodes: PathNode[] = []
  for (const trace of a) addTrace(top, trace, "a", nodes)
  for (const trace of b) addTrace(top, trace, "b", nodes)
  return nodes.map((node) => ({ path: pathOf(node), a: measured(node.a), b: measured(node.b) }))
}

/** @param nodes receives the paths that no trace before had. */
function addTrace(top: PathNode, trace: SampledTrace, side: "a" | "b", nodes: PathNode[]): void {
  const rows = new Map(trace.ids.map((id, row) => [id, row]))
  const known: (PathNode | null)[] = []
  for (let row = 0; row < trace.ids.length; row++) {
    const node = nodeOfSpan(top, trace, row, { rows, known, nodes })
    if (node === null) continue
    node[side].values.push(trace.durations[row] ?? 0)
    if (trace.failed[row]) node[side].failed += 1
  }
}

interface Walk {
  readonly rows: ReadonlyMap<string, number>
  /** The node of each row that was visited; `null` beyond the longest path. */
  readonly known: (PathNode | null)[]
  readonly nodes: PathNode[]
}

/** The node of a span. A parent that the trace does not have is none, and neither is one that closes a cycle. */
function nodeOfSpan(top: PathNode, trace: SampledTrace, row: number, { rows, known, nodes }: Walk): PathNode | null {
  const chain: number[] = []
  const open = new Set<number>()
  let at: number | undefined = row
  while (at !== undefined && known[at] === undefined && !open.has(at)) {
    chain.push(at)
    open.add(at)
    at = rows.get(trace.parents[at] ?? "")
  }
  let node = at === undefined || open.has(at) ? top : known[at]
  for (const each of chain.toReversed()) {
    node = node && node.depth < DEPTH_LIMIT ? childOf(node, trace, each, nodes) : null
    known[each] = node
  }
  return node ?? null
}

function childOf(parent: PathNode, { services, names }: SampledTrace, row: number, nodes: PathNode[]): PathNode {
  const step = { service: services[row] ?? "", name: names[row] ?? "" }
  const key = `${step.service}\0${step.name}`
  const known = parent.children.get(key)
  if (known !== undefined) return known
  const node = nodeOf(step, parent)
  parent.children.set(key, node)
  nodes.push(node)
  return node
}

function nodeOf(step: PathStep, parent: PathNode | undefined): PathNode {
  const depth = parent === undefined ? 0 : parent.depth + 1
  return { ...step, parent, depth, children: new Map(), a: { values: [], failed: 0 }, b: { values: [], failed: 0 } }
}

function pathOf(node: PathNode): PathStep[] {
  const path: PathStep[] = []
  for (let at: PathNode | undefined = node; at?.parent !== undefined; at = at.parent)
    path.unshift({ service: at.service, name: at.name })
  return path
}

/** Percentiles as ClickHouse's `quantileExact` defines them. */
function measured({ values, failed }: Durations): Measured {
  const sorted = Float64Array.from(values).toSorted()
  return {
    count: sorted.length,
    failed,
    times: LEVELS.map((level) => sorted[Math.floor(level * sorted.length)] ?? 0),
    total: sorted.reduce((sum, value) => sum + value, 0),
  }
}
