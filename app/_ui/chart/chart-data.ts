/** Chart data. It is plain, so that a server component can pass it to the client. */

/** Format of a value: `nanoseconds` and `milliseconds` as a duration, `share` (0 to 1) as percent, `score` with three digits. */
export type ChartUnit = "count" | "nanoseconds" | "milliseconds" | "share" | "score"

export type ChartAxis =
  /** Adjacent intervals of equal length. `from` in milliseconds since the epoch, `step` in milliseconds. */
  | { readonly kind: "time"; readonly from: number; readonly step: number; readonly count: number }
  /** Intervals between adjacent edges, one more than the values. All are drawn equally wide. */
  | { readonly kind: "ranges"; readonly edges: readonly number[]; readonly unit: ChartUnit }

export interface ChartSeries {
  /** Unique within the chart. Text from outside must pass `shownName` first. */
  readonly label: string
  /** A custom property of `tokens.css`, such as `--accent`. */
  readonly colour: `--${string}`
  /** One value per interval; `null` when unknown. */
  readonly values: readonly (number | null)[]
  /** Dash and gap lengths in pixels, so that lines differ by more than colour. */
  readonly dash?: readonly number[]
}

/** A labelled line across the chart, such as a threshold or a percentile. */
export interface ChartMark {
  readonly axis: "x" | "y"
  /** In the unit of the axis; milliseconds since the epoch on a time axis. */
  readonly at: number
  readonly label: string
  readonly colour: `--${string}`
}

export interface ChartData {
  /** Accessible name of the chart, and caption of its table. */
  readonly title: string
  readonly x: ChartAxis
  /** `bars` are stacked, the first series at the bottom. */
  readonly kind: "bars" | "lines"
  readonly unit: ChartUnit
  readonly series: readonly ChartSeries[]
  readonly marks?: readonly ChartMark[]
}

export function intervalCount(x: ChartAxis): number {
  return x.kind === "time" ? x.count : Math.max(0, x.edges.length - 1)
}

/** Start and end of an interval, in the unit of the axis. */
export function intervalAt(x: ChartAxis, index: number): readonly [from: number, to: number] {
  if (x.kind === "ranges") return [x.edges[index] ?? 0, x.edges[index + 1] ?? 0]
  const from = positionOfInterval(x, index)
  return [from, from + x.step]
}

/** Converts a value of the axis to a plot coordinate. */
export function positionOf(x: ChartAxis, value: number): number {
  if (x.kind === "time") return value
  const after = x.edges.findIndex((edge) => edge > value)
  if (after === -1) return x.edges.length - 1
  if (after === 0) return 0
  const [from = 0, to = 0] = [x.edges[after - 1], x.edges[after]]
  return after - 1 + (value - from) / (to - from)
}

/** Plot coordinate of the start of an interval; `index` may be one past the last. */
export function positionOfInterval(x: ChartAxis, index: number): number {
  return x.kind === "time" ? x.from + index * x.step : index
}
