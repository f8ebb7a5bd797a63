import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** How many traces there are of a scope, when they began, and which services took part. */
export interface TraceOverview {
  readonly traces: number
  readonly failed: number
  /** Traces of which each protocol brought a span; those of both are in both. */
  readonly otlp: number
  readonly sentry: number
  readonly both: number
  /** By time: what bars of any steps that end with the scope are added up from. */
  readonly moments: readonly OverviewMoment[]
  readonly services: readonly FacetValue[]
}

/** Traces that began within one of the `MOMENTS`. */
export interface OverviewMoment {
  /** When it begins. */
  readonly atMs: number
  readonly traces: number
  readonly failed: number
}

/** Traces that began within one step of time. */
export interface OverviewBar {
  /** The number of the step, from 0. */
  readonly index: number
  readonly traces: number
  readonly failed: number
}

/** Steps of time that a histogram is made of: whole ones, so that the same trace stands in the same bar at each reading. */
export interface TimeSteps {
  readonly from: Nanoseconds
  readonly stepMs: number
  readonly count: number
}

/** How often a value occurs among the traces of a scope. A trace with several values counts for each. */
export interface FacetValue {
  readonly value: string
  readonly traces: number
}

export const FACETS = ["service", "route", "kind"] as const
export type Facet = (typeof FACETS)[number]

/** What is counted of spans; the services are counted with their traces. */
export type SpanFacets = Readonly<Record<Exclude<Facet, "service">, readonly FacetValue[]>>

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7].map((days) => days * DAY),
]
/** Bars of a histogram at most: on a narrow screen each is still some pixels wide. */
const BARS = 90

/**
 * How exactly it is counted when a trace began, by how long before the end of its scope that was. Steps that cover as much
 * are made of whole ones, so a histogram that is drawn from the first trace on need not know that one before it counts.
 */
export const MOMENTS: readonly { readonly ageMs: number; readonly lengthMs: number }[] = [
  { ageMs: 0, lengthMs: SECOND },
  { ageMs: 30 * MINUTE, lengthMs: 10 * SECOND },
  { ageMs: 2 * HOUR, lengthMs: MINUTE },
  { ageMs: DAY, lengthMs: 30 * MINUTE },
]

/** The shortest steps that cover the time given. */
export function timeSteps(fromMs: number, toMs: number): TimeSteps {
  const length = Math.max(SECOND, toMs - fromMs)
  const stepMs = STEPS_MS.find((step) => length / step <= BARS - 1) ?? Math.ceil(length / (BARS - 1) / DAY) * DAY
  const first = Math.floor(fromMs / stepMs)
  return {
    from: (BigInt(first) * BigInt(stepMs) * 1_000_000n) as Nanoseconds,
    stepMs,
    count: Math.max(1, Math.ceil(toMs / stepMs) - first),
  }
}

/** The moments added up by steps. What began outside of them stands in the first or the last. */
export function barsOf(moments: readonly OverviewMoment[], { from, stepMs, count }: TimeSteps): OverviewBar[] {
  const fromMs = Number(from / 1_000_000n)
  const bars = new Map<number, OverviewBar>()
  for (const { atMs, traces, failed } of moments) {
    const index = Math.min(Math.max(Math.floor((atMs - fromMs) / stepMs), 0), count - 1)
    const before = bars.get(index)
    bars.set(index, { index, traces: (before?.traces ?? 0) + traces, failed: (before?.failed ?? 0) + failed })
  }
  return [...bars.values()]
}
