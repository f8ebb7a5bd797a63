import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { nanoseconds } from "#otel/inspector/queries/records.ts"

/** Marks of a chart: the latest. More labels would cover it. */
const MARKS = 4

interface MarkedWindow {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  readonly hidden: readonly string[]
  /** Releases of these services only. */
  readonly services?: readonly string[]
}

/**
 * Where releases begin on a chart over time: at their first span in its window. What has spans in the first step may have
 * begun before.
 */
export async function releaseMarks(queries: QueryService, window: MarkedWindow): Promise<readonly ChartMark[]> {
  const { fromMs, toMs, stepMs, hidden, services } = window
  const key = `releases ${JSON.stringify([Math.ceil(fromMs / stepMs), Math.ceil(toMs / stepMs), stepMs, hidden])}`
  const releases = await queries.cached(key, (each) =>
    each.releases({ since: nanosecondsOf(fromMs), until: nanosecondsOf(toMs), withoutServices: hidden }),
  )
  const own = releases.filter((release) => services === undefined || services.includes(release.service))
  const begun = own.filter(({ first }) => first >= nanosecondsOf(fromMs + stepMs)).slice(0, MARKS)
  const hasMany = new Set(begun.map((release) => release.service)).size > 1
  return begun.toReversed().map((release) => ({
    axis: "x",
    at: Number(release.first / 1_000_000n),
    label: shownName(hasMany ? `${release.service} ${release.release}` : release.release),
    colour: "--text-muted",
  }))
}

/** The same for a chart that does not wait for them: none after a failure. */
export async function laterReleaseMarks(queries: QueryService, window: MarkedWindow): Promise<readonly ChartMark[]> {
  return releaseMarks(queries, window).catch(() => [])
}

function nanosecondsOf(milliseconds: number) {
  return nanoseconds(BigInt(Math.round(milliseconds)) * 1_000_000n)
}
