/** What a chart shows: plain data, so that a server component can hand it to the page. */

/** How a value reads: `nanoseconds` as a duration, `share` (0 to 1) as per cent, `score` with three digits. */
export type ChartUnit = "count" | "nanoseconds" | "milliseconds" | "share" | "score"

export type ChartAxis =
  /** Neighbouring intervals of time of one length. Milliseconds since the epoch, and milliseconds. */
  | { readonly kind: "time"; readonly from: number; readonly step: number; readonly count: number }
  /** Intervals between neighbouring edges, which are one more than the values. Each is drawn as wide as the others. */
  | { readonly kind: "ranges"; readonly edges: readonly number[]; readonly unit: ChartUnit }

export interface ChartSeries {
  /** Different from the others'. A name that arrived goes through `shownName` first. */
  readonly label: string
  /** Name of a custom property of `tokens.css`, like `--accent`. */
  readonly colour: `--${string}`
  /** One an interval; `null` where nothing is known. */
  readonly values: readonly (number | null)[]
  /** Lengths of dash and gap in pixels, so that lines are told apart without their colours. */
  readonly dash?: readonly number[]
}

/** A line across the chart with a word to it: a threshold, a percentile. */
export interface ChartMark {
  readonly axis: "x" | "y"
  /** In the unit of that axis; milliseconds since the epoch on an axis of time. */
  readonly at: number
  readonly label: string
  readonly colour: `--${string}`
}

export interface ChartData {
  /** What is shown, for those who do not see it and above the table that they read instead. */
  readonly title: string
  readonly x: ChartAxis
  /** `bars` stand on each other, the first at the bottom. */
  readonly kind: "bars" | "lines"
  readonly unit: ChartUnit
  readonly series: readonly ChartSeries[]
  readonly marks?: readonly ChartMark[]
}

export function intervalCount(x: ChartAxis): number {
  return x.kind === "time" ? x.count : Math.max(0, x.edges.length - 1)
}

/** Where an interval begins and ends, in the unit of the axis. */
export function intervalAt(x: ChartAxis, index: number): readonly [from: number, to: number] {
  if (x.kind === "ranges") return [x.edges[index] ?? 0, x.edges[index + 1] ?? 0]
  const from = positionOfInterval(x, index)
  return [from, from + x.step]
}

/** Where a value of the axis lies in the numbers that are drawn. */
export function positionOf(x: ChartAxis, value: number): number {
  if (x.kind === "time") return value
  const after = x.edges.findIndex((edge) => edge > value)
  if (after === -1) return x.edges.length - 1
  if (after === 0) return 0
  const [from = 0, to = 0] = [x.edges[after - 1], x.edges[after]]
  return after - 1 + (value - from) / (to - from)
}

/** Where an interval begins, in the numbers that are drawn; one past the last is where that one ends. */
export function positionOfInterval(x: ChartAxis, index: number): number {
  return x.kind === "time" ? x.from + index * x.step : index
}
