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

/**
 * Everything that the overview shows. All of it but the envelope items is one snapshot, which is cached, so that its figures,
 * lists and charts agree.
 */
export async function readOverviewData(
  queries: QueryService,
  own: InternalTelemetry,
  nowMs: number,
  itemType?: string,
) {
  const [snapshot, { items }, itemTypes] = await Promise.all([
    queries.cached(`overview screen ${own.isHidden}`, (shared) => readSnapshot(shared, own, nowMs)),
    queries.items({ limit: ITEMS, type: itemType }),
    queries.cached("item types", ({ itemTypes: count }) => count()),
  ])
  return { ...snapshot, items: items.map(itemToJson), itemTypes }
}

async function readSnapshot(queries: QueryService, own: InternalTelemetry, nowMs: number) {
  const hidden = hiddenServices(own)
  const filter = own.isHidden ? withoutInternal(undefined, own.services) : undefined
  const steps = timeSteps(nowMs - OVERVIEW_MS, nowMs)
  const since = nanoseconds(BigInt(nowMs - OVERVIEW_MS) * 1_000_000n)
  const activity = { since, withoutServices: hidden }
  const window = { fromMs: nowMs - OVERVIEW_MS, toMs: nowMs, stepMs: steps.stepMs, hidden }
  const [latest, overview, marks, byService, byRoute, { issues }] = await Promise.all([
    queries.traces({ filter, limit: TRACES }),
    queries.traceOverview({ filter, since }, nowMs),
    releaseMarks(queries, window),
    queries.serviceActivity(activity, steps),
    queries.entryStats(activity, steps),
    queries.errors({ limit: ISSUES, hidden }),
  ])
  const counted = { ...overview, steps, bars: barsOf(overview.moments, steps) }
  return { latest: latest.traces, overview: counted, marks, byService, byRoute, issues }
}

export type OverviewData = Awaited<ReturnType<typeof readOverviewData>>
