import { selfTimes } from "./self-time.ts"
import { MARK } from "./waterfall-columns.ts"
import type { WaterfallTable } from "./waterfall-table.ts"

/** Spans of one name path in two traces: `before` is the other trace, `after` the one on screen. */
export interface ComparedPath {
  readonly name: string
  readonly service: string
  readonly depth: number
  readonly before: PathTotals | undefined
  readonly after: PathTotals | undefined
  readonly change: PathChange
}

export interface PathTotals {
  readonly count: number
  readonly errors: number
  /** Sums over the spans of the path, in nanoseconds. */
  readonly duration: number
  readonly self: number
}

export type PathChange = "added" | "removed" | "slower" | "faster" | "same"

/** A path is slower or faster when it changes by at least this share and this many nanoseconds; less is noise. */
export const CHANGE_SHARE = 0.1
export const CHANGE_NANOS = 1e6

interface PathNode {
  readonly name: string
  readonly service: string
  readonly children: Map<string, PathNode>
  before: PathTotals | undefined
  after: PathTotals | undefined
}

/**
 * Aligns two traces by name path: spans of the same service and name below the same path belong together, however many
 * there are on either side. Paths are in tree order; those of both traces are where `after` has them.
 */
export function compareTraces(before: WaterfallTable, after: WaterfallTable): ComparedPath[] {
  const top: PathNode = node("", "")
  add(top, after, "after")
  add(top, before, "before")
  const paths: ComparedPath[] = []
  const stack = [...top.children.values()].toReversed().map((each) => ({ node: each, depth: 0 }))
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node: each, depth } = next
    const { name, service, children } = each
    paths.push({ name, service, depth, before: each.before, after: each.after, change: changeOf(each) })
    for (const child of [...children.values()].toReversed()) stack.push({ node: child, depth: depth + 1 })
  }
  return paths
}

function add(top: PathNode, table: WaterfallTable, side: "before" | "after"): void {
  const self = selfTimes(table)
  const nodes: PathNode[] = []
  for (let row = 0; row < table.length; row++) {
    const above = nodes[table.parent[row] ?? -1] ?? top
    const key = `${table.service(row)}\0${table.name(row)}`
    const known = above.children.get(key) ?? node(table.name(row), table.service(row))
    above.children.set(key, known)
    nodes.push(known)
    const totals = known[side] ?? { count: 0, errors: 0, duration: 0, self: 0 }
    known[side] = {
      count: totals.count + 1,
      errors: totals.errors + (table.has(row, MARK.error) ? 1 : 0),
      duration: totals.duration + (table.duration[row] ?? 0),
      self: totals.self + (self[row] ?? 0),
    }
  }
}

function node(name: string, service: string): PathNode {
  return { name, service, children: new Map(), before: undefined, after: undefined }
}

function changeOf({ before, after }: PathNode): PathChange {
  if (before === undefined) return "added"
  if (after === undefined) return "removed"
  const difference = after.duration - before.duration
  if (Math.abs(difference) < Math.max(CHANGE_NANOS, before.duration * CHANGE_SHARE)) return "same"
  return difference > 0 ? "slower" : "faster"
}
