import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { Release } from "#otel/inspector/queries/compare/compare-reader.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { nanoseconds } from "#otel/inspector/queries/records.ts"

/** Marks of a chart: the latest. More labels would cover it. */
const MARKS = 4
/** A commit, which is the release where the platform or git names it. */
const COMMIT = /^[\da-f]{40}$/
const COMMIT_CHARACTERS = 12

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
  return marksOf(
    releases.filter((release) => services === undefined || services.includes(release.service)),
    window,
  )
}

/**
 * One mark for a release that several services begin in the same step. Releases of services that had another one before come
 * first: a service without one may only have been idle.
 */
export function marksOf(
  releases: readonly Release[],
  { fromMs, stepMs }: Pick<MarkedWindow, "fromMs" | "stepMs">,
): readonly ChartMark[] {
  const begun = releases.filter(({ first }) => first >= nanosecondsOf(fromMs + stepMs))
  const together = new Map<string, Release[]>()
  for (const release of begun) {
    const key = `${Math.floor(Number(release.first / 1_000_000n) / stepMs)} ${release.release}`
    together.set(key, [...(together.get(key) ?? []), release])
  }
  const isChange = (group: readonly Release[]) =>
    group.some(({ service, first }) => releases.some((other) => other.service === service && other.first < first))
  const groups = [...together.values()].toSorted((a, b) => Number(isChange(b)) - Number(isChange(a)) || latest(a, b))
  const hasMany = new Set(begun.map(({ service }) => service)).size > 1
  return groups
    .slice(0, MARKS)
    .toSorted((a, b) => latest(b, a))
    .map((group) => ({
      axis: "x",
      at: Number(firstOf(group) / 1_000_000n),
      label: shownName(hasMany ? labelOf(group) : shownRelease(group[0]?.release ?? "")),
      colour: "--text-muted",
    }))
}

function labelOf(group: readonly Release[]): string {
  const [one] = group
  if (one === undefined) return ""
  const release = shownRelease(one.release)
  return group.length === 1 ? `${one.service} ${release}` : `${release} in ${group.length} services`
}

function shownRelease(release: string): string {
  return COMMIT.test(release) ? release.slice(0, COMMIT_CHARACTERS) : release
}

function firstOf(group: readonly Release[]): bigint {
  return group.reduce((first, release) => (release.first < first ? release.first : first), group[0]?.first ?? 0n)
}

function latest(a: readonly Release[], b: readonly Release[]): number {
  return Number(firstOf(b) - firstOf(a))
}

/** The same for a chart that does not wait for them: none after a failure. */
export async function laterReleaseMarks(queries: QueryService, window: MarkedWindow): Promise<readonly ChartMark[]> {
  return releaseMarks(queries, window).catch(() => [])
}

function nanosecondsOf(milliseconds: number) {
  return nanoseconds(BigInt(Math.round(milliseconds)) * 1_000_000n)
}
