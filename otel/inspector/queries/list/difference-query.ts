import { namesOf, SHORT_NAMES } from "../../search/fields.ts"
import { type FilterProblem, keysOf, type RunLookup, termText, withoutFields } from "../../search/index.ts"
import { parseTraceListQuery } from "./trace-list-query.ts"
import type { DifferenceQuery } from "./trace-reader.ts"

/** Fields by which a filter selects traces for how they went, and not for what they were. */
const OUTCOMES: ReadonlySet<string> = new Set([
  "status",
  "errors",
  "duration",
  "message",
  "span.status",
  "span.duration",
])
const FAILED = termText("status", "error")

/** A group of traces as the URL names it. */
export interface GroupText {
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
}

export interface ParsedDifferences {
  readonly query: DifferenceQuery
  readonly selection: GroupText
  readonly baseline: GroupText
  readonly problem: FilterProblem | undefined
  /** The filter that the problem is in. */
  readonly refused: string
  readonly notices: readonly string[]
}

/**
 * Reads `q`, `since` and `until` of the selection and `baseline`, `baselineSince` and `baselineUntil` of the traces that it is
 * compared within. Without a baseline these are the traces of the same window that match the filter without its terms of
 * status, errors and durations; without such terms, all traces of the window. If that selects all of them, the selection is
 * those that failed.
 *
 * @param nowMs milliseconds since the epoch: an age like `15m` counts back from it.
 */
export function parseDifferences(parameters: URLSearchParams, nowMs: number, runs?: RunLookup): ParsedDifferences {
  const given = parseTraceListQuery(parameters, nowMs, runs)
  const window = { since: given.since, until: given.until }
  const baseline = baselineOf(parameters) ?? { filter: baselineFilter(given.filter), ...window }
  const isWhole = isSame({ filter: given.filter, ...window }, baseline)
  const filter = isWhole ? `${given.filter} ${FAILED}`.trim() : given.filter
  const read = (group: GroupText) => parseTraceListQuery(groupParameters(group), nowMs, runs)
  const [selected, base] = [read({ filter, ...window }), read(baseline)]
  return {
    query: {
      selection: { since: selected.query.since, until: selected.query.until, filter: selected.query.filter },
      baseline: { since: base.query.since, until: base.query.until, filter: base.query.filter },
      without: namedIn(filter),
    },
    selection: { filter, ...window },
    baseline: { filter: base.filter, since: base.since, until: base.until },
    problem: given.problem ?? base.problem,
    refused: given.problem === undefined ? base.filter : given.filter,
    notices: [...new Set([...given.notices, ...base.notices])],
  }
}

/** The baseline that the URL names; `undefined` if it names none. */
export function baselineOf(parameters: URLSearchParams): GroupText | undefined {
  const filter = parameters.get("baseline")
  if (filter === null) return undefined
  return {
    filter,
    since: parameters.get("baselineSince") ?? undefined,
    until: parameters.get("baselineUntil") ?? undefined,
  }
}

function baselineFilter(filter: string): string {
  const rest = withoutFields(filter, OUTCOMES)
  return rest === undefined || rest === filter ? "" : rest
}

function isSame(a: GroupText, b: GroupText): boolean {
  return a.filter === b.filter && a.since === b.since && a.until === b.until
}

function groupParameters({ filter, since, until }: GroupText): URLSearchParams {
  const parameters = new URLSearchParams({ q: filter })
  if (since !== undefined) parameters.set("since", since)
  if (until !== undefined) parameters.set("until", until)
  return parameters
}

/** The fields and attributes that a filter names, under all of their names. */
function namedIn(filter: string): ReadonlySet<string> {
  return new Set(
    keysOf(filter).flatMap((key) => {
      const bare = key.replace(/^(?:root|resource|event)\./, "")
      return [key, bare, ...namesOf(SHORT_NAMES.get(bare) ?? bare)]
    }),
  )
}
