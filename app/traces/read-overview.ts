import { FACETS, type Facet, type FacetValue, timeSteps, type TraceOverview } from "#otel/query/trace-overview.ts"
import type { TraceReader, TraceScope } from "#otel/query/trace-reader.ts"
import type { Asked } from "#app/feed/from-store.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"
import type { ListPlace } from "#app/traces/list-address.ts"

/** What stands around the list. Each part comes when it is ready; `undefined` where it could not be had. None holds up the list. */
export interface OverviewParts {
  readonly counts: Promise<HistogramData | undefined>
  readonly facets: Readonly<Record<Facet, Promise<readonly FacetValue[] | undefined>>>
}

export interface HistogramData {
  readonly overview: TraceOverview
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
  /** Bounds that were chosen: a bar at the edge may reach beyond them, what is brushed must not. Milliseconds. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** The span of time that is drawn when none was chosen and there is nothing to go by. */
const EMPTY_MS = 15 * 60_000

/**
 * Keeps answers under what was asked in words: `1h` is another moment each time.
 *
 * @param list what is being read before: nothing is asked of the store until it has ended.
 */
export function readOverview(
  asked: Asked,
  list: Promise<unknown>,
  scope: TraceScope,
  { filter, since, until }: ListPlace,
  { isHidden }: OwnActivity,
  nowMs: number,
): OverviewParts {
  const question = JSON.stringify([filter, since, until, isHidden])
  const ask = <T>(what: string, read: (traces: TraceReader) => Promise<T>) =>
    optional(asked.remember(`${what} ${question}`, ({ traces }) => read(traces)))
  // One after the other: side by side they take as long, and the list that is asked for next waits for all of them.
  const counts = list.then(() => ask("overview", (traces) => readHistogram(traces, scope, nowMs)))
  let before: Promise<unknown> = counts
  const facetAfterOthers = (name: Facet) => {
    const facet = before.then(() => ask(name, (traces) => traces.readFacet(name, scope)))
    before = facet
    return facet
  }
  return {
    counts,
    facets: Object.fromEntries(FACETS.map((name) => [name, facetAfterOthers(name)])) as OverviewParts["facets"],
  }
}

async function readHistogram(traces: TraceReader, scope: TraceScope, nowMs: number): Promise<HistogramData> {
  const sinceMs = milliseconds(scope.since)
  const untilMs = milliseconds(scope.until)
  const toMs = untilMs ?? nowMs
  const earliest = sinceMs ?? (await earliestMs(traces, scope)) ?? toMs - EMPTY_MS
  const steps = timeSteps(Math.min(earliest, toMs), toMs)
  const overview = await traces.overviewTraces(scope, steps)
  const { stepMs, count } = steps
  return { overview, fromMs: Number(steps.from / 1_000_000n), stepMs, count, sinceMs, untilMs }
}

async function earliestMs(traces: TraceReader, scope: TraceScope): Promise<number | undefined> {
  const first = await traces.listTraces({ ...scope, limit: 1, order: { by: "time", isAscending: true } })
  return milliseconds(first.traces[0]?.startTime)
}

function milliseconds(time: bigint | undefined): number | undefined {
  return time === undefined ? undefined : Number(time / 1_000_000n)
}

/** A part that cannot be had, because it took too long or the store went away, leaves the list as it is. */
function optional<T>(part: Promise<T>): Promise<T | undefined> {
  return part.catch(() => undefined)
}
