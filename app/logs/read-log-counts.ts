import type { ListPlace } from "#app/_filter/list-address.ts"
import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import { milliseconds } from "#otel/inspector/queries/list/heatmap.ts"
import { stepOf, type TimeSteps, timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import type { LogFacets, LogOverview, LogScope } from "#otel/inspector/queries/logs/log-reader.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"

/** How many logs match, and when. */
export interface LogCounts {
  readonly total: number
  readonly chart: ChartData
  /** What the chart covers, in milliseconds. */
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  /** Bounds of the time range, in milliseconds. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** Time range of the histogram when none is selected and there are no logs. */
const EMPTY_MS = 15 * 60_000

/**
 * Resolves with `undefined` on failure, and never delays the list. Caches by the text of the parameters, since `1h` is
 * another moment each time.
 *
 * @param list the query of the list: the count starts after it.
 */
export async function readLogCounts(
  queries: QueryService,
  list: Promise<unknown>,
  scope: LogScope,
  { filter, since, until }: ListPlace,
  nowMs: number,
): Promise<LogCounts | undefined> {
  await list
  const question = JSON.stringify([filter, since, until])
  try {
    return await queries.cached(`log overview ${question}`, async (shared) =>
      countsOf(await shared.logOverview(scope, nowMs), scope, nowMs),
    )
  } catch {
    return undefined
  }
}

/** The same for the facets, which are counted after the histogram. */
export async function readLogFacets(
  queries: QueryService,
  counts: Promise<unknown>,
  scope: LogScope,
  { filter, since, until }: ListPlace,
): Promise<LogFacets | undefined> {
  await counts
  try {
    return await queries.cached(`log facets ${JSON.stringify([filter, since, until])}`, (shared) =>
      shared.logFacets(scope),
    )
  } catch {
    return undefined
  }
}

function countsOf(overview: LogOverview, scope: LogScope, nowMs: number): LogCounts {
  const sinceMs = milliseconds(scope.since)
  const untilMs = milliseconds(scope.until)
  const toMs = untilMs ?? nowMs
  const earliest = sinceMs ?? overview.moments[0]?.atMs ?? toMs - EMPTY_MS
  const steps = timeSteps(Math.min(earliest, toMs), toMs)
  return {
    total: overview.logs,
    chart: logsOverTime(overview, steps),
    fromMs: Number(steps.from / 1_000_000n),
    toMs,
    stepMs: steps.stepMs,
    sinceMs,
    untilMs,
  }
}

/** Errors are at the bottom, where their heights compare best. */
function logsOverTime({ moments }: LogOverview, steps: TimeSteps): ChartData {
  const { from, stepMs, count } = steps
  const empty = () => Array.from({ length: count }, () => 0)
  const [errors, warnings, others] = [empty(), empty(), empty()]
  for (const moment of moments) {
    const step = stepOf(moment.atMs, steps)
    errors[step] = (errors[step] ?? 0) + moment.errors
    warnings[step] = (warnings[step] ?? 0) + moment.warnings
    others[step] = (others[step] ?? 0) + moment.logs - moment.errors - moment.warnings
  }
  return {
    title: "Logs over time",
    x: { kind: "time", from: Number(from / 1_000_000n), step: stepMs, count },
    kind: "bars",
    unit: "count",
    series: [
      { label: "Error", colour: "--error", values: errors },
      { label: "Warn", colour: "--warning", values: warnings },
      { label: "Other", colour: "--accent", values: others },
    ],
  }
}
