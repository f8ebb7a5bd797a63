import type { Nanoseconds } from "../../../protocol/records/time.ts"
import { type FilterProblem, misspelledFields, parseFilter, type RunLookup } from "../../search/index.ts"
import { ParameterReader } from "../list/parameter-reader.ts"
import { AGE_OR_MOMENT, momentOrAge } from "../list/time-range.ts"
import type { TraceScope } from "../list/trace-reader.ts"

/** One side of a comparison as its parameters say it. */
export interface CompareSide {
  /** Text of the filter; empty for all traces. */
  readonly filter: string
  /** The valid texts of the window, such as `24h`; `undefined` for any time. */
  readonly since: string | undefined
  readonly until: string | undefined
}

export interface ParsedSide extends CompareSide {
  readonly scope: TraceScope
  /** Why the filter is invalid. Callers show it in place of a comparison. */
  readonly problem: FilterProblem | undefined
}

export interface ParsedCompareQuery {
  /** The baseline. */
  readonly a: ParsedSide
  /** The current side. */
  readonly b: ParsedSide
  /** Rows of each list. */
  readonly limit: number
  readonly notices: readonly string[]
}

const ROWS = 100
const ROW_LIMIT = 1_000

/**
 * Query parameters of `/compare` and `GET /api/compare`: the filters `a` and `b`, their windows `aSince`, `aUntil`, `bSince`,
 * `bUntil`, each by default `since` or `until`, and `limit`.
 *
 * @param nowMs milliseconds since the epoch: an age like `15m` counts back from it.
 */
export function parseCompareQuery(parameters: URLSearchParams, nowMs: number, runs?: RunLookup): ParsedCompareQuery {
  const reader = new ParameterReader(parameters)
  const shared = { since: readMoment(reader, "since", nowMs), until: readMoment(reader, "until", nowMs) }
  const sideOf = (name: "a" | "b"): ParsedSide => {
    const filter = parameters.get(name)?.trim() ?? ""
    const { tree, problem } = parseFilter(filter, runs)
    const since = readMoment(reader, `${name}Since`, nowMs) ?? shared.since
    const until = readMoment(reader, `${name}Until`, nowMs) ?? shared.until
    return {
      filter,
      since: since?.text,
      until: until?.text,
      scope: { since: since?.time, until: until?.time, filter: tree },
      problem,
    }
  }
  const [a, b] = [sideOf("a"), sideOf("b")]
  const limit = reader.limit(ROWS, ROW_LIMIT)
  const misspelled = new Set([...misspelledFields(a.filter), ...misspelledFields(b.filter)])
  return { a, b, limit, notices: [...reader.notices, ...misspelled, ...sideNotices(a, b)] }
}

/** Whether both sides select the same traces. */
export function isSameSide(a: CompareSide, b: CompareSide): boolean {
  return a.filter === b.filter && a.since === b.since && a.until === b.until
}

function readMoment(reader: ParameterReader, name: string, nowMs: number) {
  return reader.read(
    name,
    (text): { text: string; time: Nanoseconds } | undefined => {
      const time = momentOrAge(text, nowMs)
      return time === undefined ? undefined : { text, time }
    },
    AGE_OR_MOMENT,
  )
}

function sideNotices(a: ParsedSide, b: ParsedSide): string[] {
  const isEmpty = ({ scope: { since, until } }: ParsedSide) =>
    since !== undefined && until !== undefined && since >= until
  return [
    ...(isEmpty(a) ? ["The time range of the baseline ends before it begins."] : []),
    ...(isEmpty(b) ? ["The current time range ends before it begins."] : []),
    ...(isSameSide(a, b) && (a.filter !== "" || a.since !== undefined || a.until !== undefined)
      ? ["Both sides select the same traces."]
      : []),
  ]
}
