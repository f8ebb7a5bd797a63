import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** How many traces a scope has, when they began, and of which services. */
export interface TraceOverview {
  readonly traces: number
  readonly failed: number
  /** Traces with a span by each protocol; `both` counts those with spans by both. */
  readonly otlp: number
  readonly sentry: number
  readonly both: number
  /** By time. They add up to the bars of any steps that end with the scope. */
  readonly moments: readonly OverviewMoment[]
  readonly services: readonly FacetValue[]
}

/** How many traces a scope has, how many of them failed, and how long they took. */
export interface TraceFigures {
  readonly traces: number
  readonly failed: number
  /** The exact 95th percentile of their durations; `undefined` without a trace. */
  readonly p95: Nanoseconds | undefined
}

/** The answer of `GET /api/traces/figures`. */
export interface TraceFiguresJson {
  readonly traces: number
  readonly failed: number
  readonly p95Nano: string | null
}

/** Traces that began within one of the `MOMENTS`. */
export interface OverviewMoment {
  /** Its start, in milliseconds since the epoch. */
  readonly atMs: number
  readonly traces: number
  readonly failed: number
}

/** Traces that began within one time step. */
export interface OverviewBar {
  /** Index of the step. */
  readonly index: number
  readonly traces: number
  readonly failed: number
}

/** The time steps of a histogram. They are aligned, so that a trace stays in the same bar when the histogram is refreshed. */
export interface TimeSteps {
  readonly from: Nanoseconds
  readonly stepMs: number
  readonly count: number
}

/** How many traces of a scope have a value. A trace with several values counts for each. */
export interface FacetValue {
  readonly value: string
  readonly traces: number
}

export const FACETS = ["service", "route", "kind", "missing"] as const
export type Facet = (typeof FACETS)[number]

/** Facets counted over spans; services are counted with the traces. */
export type SpanFacets = Readonly<Record<"route" | "kind", readonly FacetValue[]>>

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
/** Most bars of a histogram: on a narrow screen each is still some pixels wide. */
const BARS = 90

/**
 * The resolution at which the starts of traces are counted, by their age at the end of the scope. Every step of a window of
 * that age is a multiple of it, so the counts can be read before the window, and with it the step, is known.
 */
export const MOMENTS: readonly { readonly ageMs: number; readonly lengthMs: number }[] = [
  { ageMs: 0, lengthMs: SECOND },
  { ageMs: 30 * MINUTE, lengthMs: 10 * SECOND },
  { ageMs: 2 * HOUR, lengthMs: MINUTE },
  { ageMs: DAY, lengthMs: 30 * MINUTE },
]

/** The shortest round step of which at most this many fit into the length, in milliseconds. */
export function roundStep(lengthMs: number, atMost: number): number {
  return STEPS_MS.find((step) => lengthMs / step <= atMost) ?? Math.ceil(lengthMs / atMost / DAY) * DAY
}

/** The shortest aligned steps that cover the window. */
export function timeSteps(fromMs: number, toMs: number): TimeSteps {
  const length = Math.max(SECOND, toMs - fromMs)
  const stepMs = roundStep(length, BARS - 1)
  const first = Math.floor(fromMs / stepMs)
  return {
    from: (BigInt(first) * BigInt(stepMs) * 1_000_000n) as Nanoseconds,
    stepMs,
    count: Math.max(1, Math.ceil(toMs / stepMs) - first),
  }
}

/** The moments summed by step. */
export function barsOf(moments: readonly OverviewMoment[], steps: TimeSteps): OverviewBar[] {
  const bars = new Map<number, OverviewBar>()
  for (const { atMs, traces, failed } of moments) {
    const index = stepOf(atMs, steps)
    const before = bars.get(index)
    bars.set(index, { index, traces: (before?.traces ?? 0) + traces, failed: (before?.failed ?? 0) + failed })
  }
  return [...bars.values()]
}

/** Index of the step of a moment, in milliseconds since the epoch. A moment outside the steps is in the first or the last. */
export function stepOf(atMs: number, { from, stepMs, count }: TimeSteps): number {
  return Math.min(Math.max(Math.floor((atMs - Number(from / 1_000_000n)) / stepMs), 0), count - 1)
}
