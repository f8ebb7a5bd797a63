import { hiddenServices, type InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { laterReleaseMarks } from "#app/compare/release-marks.ts"
import { listParameters, type ListPlace } from "#app/_filter/list-address.ts"
import { withoutInternal } from "#otel/inspector/queries/filters.ts"
import { parseDifferences, type ParsedDifferences } from "#otel/inspector/queries/list/difference-query.ts"
import type { Differences } from "#otel/inspector/queries/list/differences.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import { type HeatmapCell, milliseconds, stepsFrom, stepsOfScope } from "#otel/inspector/queries/list/heatmap.ts"
import {
  barsOf,
  type Facet,
  type FacetValue,
  type OverviewBar,
  type TraceOverview,
} from "#otel/inspector/queries/list/trace-overview.ts"
import type { TraceScope } from "#otel/inspector/queries/list/trace-reader.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"

/** Histogram and facets around the list. Each part resolves on its own, with `undefined` on failure, and never delays the list. */
export interface OverviewParts {
  readonly counts: Promise<HistogramData | undefined>
  /** `undefined` also where another chart is shown. */
  readonly heatmap: Promise<HeatmapData | undefined>
  /** As of `heatmap`. */
  readonly differences: Promise<DifferencesData | undefined>
  readonly facets: Readonly<Record<Facet, Promise<readonly FacetValue[] | undefined>>>
  /** Where releases begin. Read last, so that they delay nothing. */
  readonly marks: Promise<readonly ChartMark[]>
}

export interface HistogramData {
  /** Without its moments: there are thousands of them, and the bars are their sums. */
  readonly overview: Omit<TraceOverview, "moments">
  readonly bars: readonly OverviewBar[]
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
  /** Bounds of the time range, in milliseconds. Bars at the edge may exceed them; a brushed range must not. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

export interface HeatmapData extends Pick<HistogramData, "fromMs" | "stepMs" | "count" | "sinceMs" | "untilMs"> {
  readonly cells: readonly HeatmapCell[]
}

export interface DifferencesData extends Pick<ParsedDifferences, "selection" | "baseline"> {
  readonly differences: Differences
}

/**
 * Caches results by the text of the parameters, since `1h` is another moment each time.
 *
 * @param list the query of the list. No query of the overview starts before it has ended.
 */
export function readOverview(
  queries: QueryService,
  list: Promise<unknown>,
  scope: TraceScope,
  place: ListPlace,
  own: InternalTelemetry,
  nowMs: number,
): OverviewParts {
  const { filter, since, until, chart, baseline } = place
  const question = JSON.stringify([filter, since, until, own.isHidden, chart === "differences" && baseline])
  const run = <T>(what: string, query: (queries: QueryService) => Promise<T>) =>
    optional(queries.cached(`${what} ${question}`, query))
  const counts = list.then(() => run("overview", (shared) => readHistogram(shared, scope, nowMs)))
  // Sequential: in parallel they take as long, and delay the next query of the list.
  const heatmap = counts.then((counted) =>
    counted === undefined || chart !== "heatmap"
      ? undefined
      : run("heatmap", (shared) => readHeatmap(shared, scope, counted)),
  )
  const differences = heatmap.then(() =>
    chart === "differences" ? run("differences", (shared) => readDifferences(shared, place, own, nowMs)) : undefined,
  )
  const facets = differences.then(() => run("facets", ({ spanFacets }) => spanFacets(scope)))
  const missing = facets.then(() => run("missing", (shared) => shared.missing(scope)))
  const marks = missing.then(async () => {
    const counted = await counts
    return counted === undefined ? [] : laterReleaseMarks(queries, windowOf(counted, hiddenServices(own)))
  })
  return {
    counts,
    heatmap,
    differences,
    facets: {
      service: counts.then((counted) => counted?.overview.services),
      route: facets.then((read) => read?.route),
      kind: facets.then((read) => read?.kind),
      missing,
    },
    marks,
  }
}

function windowOf({ fromMs, stepMs, count }: HistogramData, hidden: readonly string[]) {
  return { fromMs, toMs: fromMs + count * stepMs, stepMs, hidden }
}

async function readHistogram(queries: QueryService, scope: TraceScope, nowMs: number): Promise<HistogramData> {
  const { moments, ...overview } = await queries.traceOverview(scope, nowMs)
  const steps = stepsOfScope(scope, moments, nowMs)
  const { stepMs, count } = steps
  const bars = barsOf(moments, steps)
  const fromMs = Number(steps.from / 1_000_000n)
  return {
    overview,
    bars,
    fromMs,
    stepMs,
    count,
    sinceMs: milliseconds(scope.since),
    untilMs: milliseconds(scope.until),
  }
}

/** In the steps of the histogram, so that both have the same columns. */
async function readHeatmap(
  queries: QueryService,
  scope: TraceScope,
  { fromMs, stepMs, count, sinceMs, untilMs }: HistogramData,
): Promise<HeatmapData> {
  const { cells } = await queries.traceHeatmap(scope, stepsFrom(fromMs, stepMs, count))
  return { fromMs, stepMs, count, sinceMs, untilMs, cells }
}

async function readDifferences(
  queries: QueryService,
  place: ListPlace,
  { services, isHidden }: InternalTelemetry,
  nowMs: number,
): Promise<DifferencesData> {
  const { query, selection, baseline } = parseDifferences(listParameters(place), nowMs, inspectorInfo().runs)
  const scoped = (scope: TraceScope) =>
    isHidden ? { ...scope, filter: withoutInternal(scope.filter, services) } : scope
  const shown = { ...query, selection: scoped(query.selection), baseline: scoped(query.baseline) }
  return { selection, baseline, differences: await queries.traceDifferences(shown) }
}

/** A part that fails or times out does not affect the list. */
function optional<T>(part: Promise<T>): Promise<T | undefined> {
  return part.catch(() => undefined)
}
