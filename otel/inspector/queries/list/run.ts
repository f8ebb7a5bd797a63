import type { Nanoseconds } from "../../../protocol/records/time.ts"
import { type FilterTree, parseFilter } from "../../search/index.ts"

/** Traces that somebody gave a name: a start of an app, a branch, a test, or a stretch of time. */
export interface Run {
  readonly name: string
  /** Which traces, in the language of filters; empty for all that began in its time. */
  readonly filter: string
  readonly since: Nanoseconds
  /** `undefined` while it goes on. */
  readonly until: Nanoseconds | undefined
}

/** What a run may be called: one word in a filter, and a line on a screen. */
export const RUN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,99}$/u
/** Runs that are kept; each is a row, and a choice in a list. */
export const RUN_LIMIT = 500
/** Spans that the copies of all kept runs hold together: some 200 MB. */
export const RETAINED_SPAN_LIMIT = 2_000_000

/** What is kept of a run beyond the age and size of all else. */
export interface RunCopy {
  readonly run: string
  readonly traces: number
  readonly spans: number
  /** Traces of the run that began before this are in it. */
  readonly copiedTo: Nanoseconds
  /** There was no room for what comes next. */
  readonly isFull: boolean
}

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
