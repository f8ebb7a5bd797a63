import type { Nanoseconds } from "../../../protocol/records/time.ts"
import { type FilterTree, parseFilter } from "../../search/index.ts"

/** Traces under a name: those of one start of an app, a branch, a test, or a period of time. */
export interface Run {
  readonly name: string
  /** In the filter language; empty for all traces that began in the run's time. */
  readonly filter: string
  readonly since: Nanoseconds
  /** `undefined` while the run has no end. */
  readonly until: Nanoseconds | undefined
}

/** A name is one word in a filter and one line on a screen. */
export const RUN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,99}$/u
/** Retained runs; each is a row and an option of a list. */
export const RUN_LIMIT = 500
/** Spans in the copies of all retained runs together: about 200 MB. */
export const RETAINED_SPAN_LIMIT = 2_000_000

/** What the store retains of a run beyond the retention of other records. */
export interface RunCopy {
  readonly run: string
  readonly traces: number
  readonly spans: number
  /** Traces of the run that began before this time are in the copy. */
  readonly copiedTo: Nanoseconds
  /** `RETAINED_SPAN_LIMIT` left no room for the run's later traces. */
  readonly isFull: boolean
}

/** The filter of a run's traces: those that began in its time and match its own filter. */
export function runFilter({ filter, since, until }: Run): FilterTree {
  const started = { is: "started", from: since, to: until } as const
  const { tree } = parseFilter(filter)
  return tree === undefined ? started : { is: "and", nodes: [tree, started] }
}

/** The earliest start of a trace that matches; `undefined` where the filter sets none. */
export function earliestStart(tree: FilterTree | undefined): Nanoseconds | undefined {
  if (tree?.is === "started") return tree.from
  if (tree?.is !== "and" && tree?.is !== "or") return undefined
  const starts = tree.nodes.map(earliestStart)
  const known = starts.filter((start) => start !== undefined).toSorted((a, b) => (a < b ? -1 : 1))
  if (tree.is === "and") return known.at(-1)
  return known.length === starts.length ? known[0] : undefined
}
