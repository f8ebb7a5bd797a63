import { hiddenServices, type InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { releaseMarks } from "#app/compare/release-marks.ts"
import { itemToJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { withoutInternal } from "#otel/inspector/queries/filters.ts"
import { barsOf, timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { nanoseconds } from "#otel/inspector/queries/records.ts"

/** Time range of the overview, in milliseconds. */
export const OVERVIEW_MS = 30 * 60_000
/** Rows read for the lists of latest traces, issues and envelope items. */
const TRACES = 12
const ISSUES = 6
const ITEMS = 8

/** Everything that the overview shows. Aggregates over all traces are cached; the latest records are read each time. */
export async function readOverviewData(
  queries: QueryService,
  own: InternalTelemetry,
  nowMs: number,
  itemType?: string,
) {
  const { services, isHidden } = own
  const hidden = hiddenServices(own)
  const filter = isHidden ? withoutInternal(undefined, services) : undefined
  const steps = timeSteps(nowMs - OVERVIEW_MS, nowMs)
  const since = nanoseconds(BigInt(nowMs - OVERVIEW_MS) * 1_000_000n)
  const activity = { since, withoutServices: hidden }
  const run = <T>(what: string, query: (queries: QueryService) => Promise<T>) =>
    queries.cached(`now ${what} ${isHidden}`, query)
  const window = { fromMs: nowMs - OVERVIEW_MS, toMs: nowMs, stepMs: steps.stepMs, hidden }
  const [latest, overview, marks, byService, byRoute, { issues }, { items }, itemTypes] = await Promise.all([
    queries.traces({ filter, limit: TRACES }),
    run("overview", async ({ traceOverview }) => {
      const overview = await traceOverview({ filter, since }, nowMs)
      return { ...overview, steps, bars: barsOf(overview.moments, steps) }
    }),
    releaseMarks(queries, window),
    run("services", ({ serviceActivity }) => serviceActivity(activity, steps)),
    run("routes", ({ entryStats }) => entryStats(activity, steps)),
    run("issues", ({ errors }) => errors({ limit: ISSUES, hidden })),
    queries.items({ limit: ITEMS, type: itemType }),
    run("item types", ({ itemTypes: count }) => count()),
  ])
  return { latest: latest.traces, overview, marks, byService, byRoute, issues, items: items.map(itemToJson), itemTypes }
}

export type OverviewData = Awaited<ReturnType<typeof readOverviewData>>
