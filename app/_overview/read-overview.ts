import type { Asked } from "#app/_live/from-store.ts"
import { hiddenServices, type InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { itemToJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { barsOf, timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import { withoutInternal } from "#otel/inspector/search/index.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

/** Time range of the overview, in milliseconds. */
export const OVERVIEW_MS = 30 * 60_000
/** Rows read for the lists of latest traces, issues and envelope items. */
const TRACES = 12
const ISSUES = 6
const ITEMS = 8

/** Everything that the overview shows. Aggregates over all traces are cached; the latest records are read each time. */
export async function readOverviewData(
  { inspector, remember }: Asked,
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
  const ask = <T>(what: string, work: (inspector: Inspector) => Promise<T>) => remember(`now ${what} ${isHidden}`, work)
  const [latest, overview, byService, byRoute, { issues }, { items }, itemTypes] = await Promise.all([
    inspector.traces.listTraces({ filter, limit: TRACES }),
    ask("overview", async ({ traces }) => {
      const overview = await traces.overviewTraces({ filter, since }, nowMs)
      return { ...overview, steps, bars: barsOf(overview.moments, steps) }
    }),
    ask("services", ({ traces }) => traces.serviceActivity(activity, steps)),
    ask("routes", ({ traces }) => traces.entryStats(activity, steps)),
    ask("issues", ({ errors }) => errors.listIssues({ limit: ISSUES, hidden })),
    inspector.items.listItems({ limit: ITEMS, type: itemType }),
    ask("item types", ({ items: reader }) => reader.countItems()),
  ])
  return { latest: latest.traces, overview, byService, byRoute, issues, items: items.map(itemToJson), itemTypes }
}

export type OverviewData = Awaited<ReturnType<typeof readOverviewData>>
