import { fromMilliseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { type TimeSteps, timeSteps, type TraceOverview } from "./trace-overview.ts"

/** The traces of a scope by start time and duration, as a heatmap shows them. */
export interface TraceHeatmap {
  readonly steps: TimeSteps
  /** Cells that have traces, by step and then by row. */
  readonly cells: readonly HeatmapCell[]
}

export interface HeatmapCell {
  /** Index of the time step. */
  readonly step: number
  /** Index of the range of durations: number of `DURATION_EDGES` that the duration reaches. */
  readonly row: number
  readonly traces: number
  readonly failed: number
}

const SECOND = 1_000_000_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Round numbers that divide a decade into parts of about equal length on a logarithmic axis. */
const DECADE = [1, 1.5, 2, 3, 5, 7]
const SIXTY = [10, 15, 20, 30, 40, 50]

/** Lower ends of the ranges of durations, in nanoseconds: six for each decade from 1 µs, then of seconds, minutes and hours. */
export const DURATION_EDGES: readonly number[] = [
  ...Array.from({ length: 7 }, (_, decade) => DECADE.map((part) => part * 10 ** (3 + decade))).flat(),
  ...SIXTY.map((part) => part * SECOND),
  ...DECADE.map((part) => part * MINUTE),
  ...SIXTY.map((part) => part * MINUTE),
  ...DECADE.map((part) => part * HOUR),
  10 * HOUR,
]
/** Parts of a decade: each edge at a multiple of it starts one. */
export const EDGES_PER_DECADE = DECADE.length

/** Lower and upper end of a row, in nanoseconds; `undefined` where it has none. */
export function rowRange(row: number): readonly [from: number | undefined, to: number | undefined] {
  return [DURATION_EDGES[row - 1], DURATION_EDGES[row]]
}

/** Terms of the filter language for the durations of some rows, the lowest and the highest included. */
export function durationTerms(lowest: number, highest: number): string[] {
  const [from] = rowRange(lowest)
  const [, to] = rowRange(highest)
  return [
    ...(from === undefined ? [] : [`duration>=${durationText(from)}`]),
    ...(to === undefined ? [] : [`duration<${durationText(to)}`]),
  ]
}

const UNITS = [
  [HOUR, "h"],
  [MINUTE, "m"],
  [SECOND, "s"],
  [1_000_000, "ms"],
  [1_000, "us"],
] as const

/** An edge as the filter language writes it: `1.5ms`, `40s`. */
function durationText(nanos: number): string {
  const [length, unit] = UNITS.find(([each]) => nanos >= each) ?? [1, "ns"]
  return `${nanos / length}${unit}`
}

interface Window {
  readonly since?: Nanoseconds | undefined
  readonly until?: Nanoseconds | undefined
}

/** Window of a chart when none is selected and there are no traces, in milliseconds. */
const EMPTY_MS = 15 * 60_000

/** The time steps of a scope that ends now, if it has no end. Without a start it begins with its first trace. */
export function stepsOfScope(scope: Window, moments: TraceOverview["moments"], nowMs: number): TimeSteps {
  const toMs = milliseconds(scope.until) ?? nowMs
  const fromMs = milliseconds(scope.since) ?? moments[0]?.atMs ?? toMs - EMPTY_MS
  return timeSteps(Math.min(fromMs, toMs), toMs)
}

/** Steps of a chart, whose start is in milliseconds since the epoch. */
export function stepsFrom(fromMs: number, stepMs: number, count: number): TimeSteps {
  return { from: fromMilliseconds(fromMs), stepMs, count }
}

export function milliseconds(time: bigint | undefined): number | undefined {
  return time === undefined ? undefined : Number(time / 1_000_000n)
}

/** The heatmap as `GET /api/traces/heatmap` sends it. */
export function heatmapToJson({ steps, cells }: TraceHeatmap): object {
  const { from, stepMs, count } = steps
  return {
    steps: { fromUnixNano: String(from), stepMs, count },
    durationEdgesNano: DURATION_EDGES.map(String),
    cells,
  }
}
