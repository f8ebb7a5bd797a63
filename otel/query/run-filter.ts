import type { Run } from "../model/run.ts"
import type { Nanoseconds } from "../model/time.ts"
import { type FilterTree, parseFilter } from "./filter/index.ts"

/** Which traces a run is: those that began in its time and pass its filter. */
export function runFilter({ filter, since, until }: Run): FilterTree {
  const started = { is: "started", from: since, to: until } as const
  const { tree } = parseFilter(filter)
  return tree === undefined ? started : { is: "and", nodes: [tree, started] }
}

/** The time before which no trace that passes began, where the filter says so: a run does. */
export function earliestStart(tree: FilterTree | undefined): Nanoseconds | undefined {
  if (tree?.is === "started") return tree.from
  if (tree?.is !== "and" && tree?.is !== "or") return undefined
  const starts = tree.nodes.map(earliestStart)
  const known = starts.filter((start) => start !== undefined).toSorted((a, b) => (a < b ? -1 : 1))
  if (tree.is === "and") return known.at(-1)
  return known.length === starts.length ? known[0] : undefined
}
