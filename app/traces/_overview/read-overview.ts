import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import type { ListPlace } from "#app/_filter/list-address.ts"
import {
  barsOf,
  type Facet,
  type FacetValue,
  type OverviewBar,
  timeSteps,
  type TraceOverview,
} from "#otel/inspector/queries/list/trace-overview.ts"
import type { TraceScope } from "#otel/inspector/queries/list/trace-reader.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"

/** Histogram and facets around the list. Each part resolves on its own, with `undefined` on failure, and never delays the list. */
export interface OverviewParts {
  readonly counts: Promise<HistogramData | undefined>
  readonly facets: Readonly<Record<Facet, Promise<readonly FacetValue[] | undefined>>>
}

export interface HistogramData {
  readonly overview: TraceOverview
  readonly bars: readonly OverviewBar[]
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
  /** Bounds of the time range, in milliseconds. Bars at the edge may exceed them; a brushed range must not. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** Time range of the histogram when none is selected and there are no traces. */
const EMPTY_MS = 15 * 60_000

/**
 * Caches results by the text of the parameters, since `1h` is another moment each time.
 *
 * @param list the query of the list. No query of the overview starts before it has ended.
 */
export function readOverview(
  queries: QueryService,
  list: Promise<unknown>,
  scope: TraceScope,
  { filter, since, until }: ListPlace,
  { isHidden }: InternalTelemetry,
  nowMs: number,
): OverviewParts {
  const question = JSON.stringify([filter, since, until, isHidden])
  const run = <T>(what: string, query: (queries: QueryService) => Promise<T>) =>
    optional(queries.cached(`${what} ${question}`, query))
  const counts = list.then(() => run("overview", (shared) => readHistogram(shared, scope, nowMs)))
  // Sequential: in parallel they take as long, and delay the next query of the list.
  const facets = counts.then(() => run("facets", ({ spanFacets }) => spanFacets(scope)))
  return {
    counts,
    facets: {
      service: counts.then((counted) => counted?.overview.services),
      route: facets.then((read) => read?.route),
      kind: facets.then((read) => read?.kind),
    },
  }
}

async function readHistogram(queries: QueryService, scope: TraceScope, nowMs: number): Promise<HistogramData> {
  const sinceMs = milliseconds(scope.since)
  const untilMs = milliseconds(scope.until)
  const toMs = untilMs ?? nowMs
  const overview = await queries.traceOverview(scope, nowMs)
  const earliest = sinceMs ?? overview.moments[0]?.atMs ?? toMs - EMPTY_MS
  const steps = timeSteps(Math.min(earliest, toMs), toMs)
  const { stepMs, count } = steps
  const bars = barsOf(overview.moments, steps)
  return { overview, bars, fromMs: Number(steps.from / 1_000_000n), stepMs, count, sinceMs, untilMs }
}

function milliseconds(time: bigint | undefined): number | undefined {
  return time === undefined ? undefined : Number(time / 1_000_000n)
}

/** A part that fails or times out does not affect the list. */
function optional<T>(part: Promise<T>): Promise<T | undefined> {
  return part.catch(() => undefined)
}
