import type { TraceSummaryJson } from "../../inspector/queries/list/trace-summary.ts"
import { duration } from "../../protocol/line-text.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { TraceFiguresJson } from "../../inspector/queries/list/trace-overview.ts"
import { type Comparison, type Connection, parseComparison, parseDuration, parsePercent } from "../options.ts"
import { traceLine } from "../terminal.ts"

export interface AssertOptions extends Connection {
  readonly filter: string
  /** Like `>=1`, `0` or `3..5`. */
  readonly count: string
  readonly maxDuration?: string | undefined
  readonly maxP95?: string | undefined
  readonly maxFailed?: string | undefined
  readonly logs: boolean
  /** Whether Pagespan's own traces count. Default: `show`. */
  readonly own?: "show" | "hide" | undefined
  readonly within: string
  readonly since?: string | undefined
}

const POLL_MS = 200
const MAX_SHOWN_TRACES = 10
/** Traces of the largest page. Of more, the inspector gives the number. */
const LISTED_TRACES = 1_000

/** What one look found. */
interface Found {
  readonly count: number
  /** For the message where the assertion fails. */
  readonly traces: readonly TraceSummaryJson[]
  /** The bound that does not hold, and that further traces cannot mend. */
  readonly broken?: string | undefined
  /** The bound that does not hold now. */
  readonly exceeded?: string | undefined
}

/**
 * `pagespan assert <filter>`: succeeds as soon as further records cannot break the count, or when the time is up.
 *
 * @throws {CommandError} with code 1 and the traces that were found, when the assertion does not hold.
 */
export async function assertRecords(options: AssertOptions): Promise<void> {
  const { filter, count, within, logs } = options
  const expected = parseComparison(count)
  const look = await looker(options, expected)
  const deadline = Date.now() + parseDuration(within, "--within") / 1e6
  const what = logs ? "log" : "trace"
  for (;;) {
    const found = await look()
    const fail = (problem: string) => failure(`${what}s`, filter, problem, found.traces)
    const isOver = Date.now() >= deadline
    if (found.broken !== undefined) throw fail(found.broken)
    if (found.count > expected.most) throw fail(`found ${found.count}, expected ${expected.text}`)
    const holds = found.exceeded === undefined && found.count >= expected.least
    if (holds && (isOver || expected.most === Infinity))
      return console.log(`ok: ${found.count} ${found.count === 1 ? `${what} matches` : `${what}s match`} ${filter}`)
    if (isOver) throw fail(found.exceeded ?? `found ${found.count} within ${within}, expected ${expected.text}`)
    await new Promise((later) => setTimeout(later, POLL_MS))
  }
}

/** A function that looks once. */
async function looker(options: AssertOptions, { least, most }: Comparison): Promise<() => Promise<Found>> {
  const { filter, logs, own } = options
  const longest = options.maxDuration === undefined ? undefined : parseDuration(options.maxDuration, "--max-duration")
  const p95 = options.maxP95 === undefined ? undefined : parseDuration(options.maxP95, "--max-p95")
  const share = options.maxFailed === undefined ? undefined : parsePercent(options.maxFailed, "--max-failed")
  if (logs && [longest, p95, share].some((bound) => bound !== undefined))
    throw new CommandError("--logs counts logs, which have no duration and do not fail", EXIT.usage)
  if (logs && own !== undefined) throw new CommandError("--own is about traces, and --logs counts logs", EXIT.usage)
  const { InspectorClient } = await import("../inspector-client.ts")
  const { requireSince } = await import("../query-options.ts")
  const since = requireSince(options.since)
  const client = new InspectorClient(options)
  if (logs) return async () => ({ count: await client.countLogs(filter, since), traces: [] })
  const isCounted = p95 !== undefined || share !== undefined || (most === Infinity ? least : most) >= LISTED_TRACES
  const scope = { since, own }
  return async () => {
    const traces = await client.matchingTraces(filter, scope)
    // The slow ones may be behind those that are listed.
    const slow = longest === undefined ? [] : await client.matchingTraces(slowerThan(longest, filter), scope)
    if (slow.length > 0)
      return { count: traces.length, traces: slow, broken: `${slow.length} took longer than ${duration(longest ?? 0)}` }
    if (!isCounted) return { count: traces.length, traces }
    const figures = await client.traceFigures(filter, scope)
    return { count: figures.traces, traces, exceeded: exceededBound(figures, p95, share) }
  }
}

/** The bound that the figures exceed, in words. Without a trace they exceed none. */
function exceededBound(figures: TraceFiguresJson, p95: number | undefined, share: number | undefined) {
  const failed = (figures.failed / Math.max(1, figures.traces)) * 100
  if (share !== undefined && failed > share)
    return `${Number(failed.toPrecision(3))} % failed, expected at most ${share} %`
  const nanos = Number(figures.p95Nano ?? 0)
  return p95 !== undefined && nanos > p95
    ? `their 95th percentile is ${duration(nanos)}, expected at most ${duration(p95)}`
    : undefined
}

function failure(what: string, filter: string, problem: string, traces: readonly TraceSummaryJson[]): CommandError {
  const shown = traces.slice(0, MAX_SHOWN_TRACES).map((trace) => `\n  ${traceLine(trace)}`)
  const more = traces.length > MAX_SHOWN_TRACES ? `\n  and ${traces.length - MAX_SHOWN_TRACES} more` : ""
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  return new CommandError(`${title} that match ${filter}: ${problem}${shown.join("")}${more}`, EXIT.failed)
}

/** The filter with a term for the duration, in nanoseconds. */
function slowerThan(longest: number, filter: string): string {
  const term = `duration>${longest / 1e6}ms`
  return filter.trim() === "" ? term : `(${filter}) ${term}`
}
