import uPlot from "uplot"
import { UTC, type Zone } from "#app/_ui/format/zone.ts"
import { type ChartAxis, type ChartData, type ChartSeries, intervalCount, positionOfInterval } from "./chart-data.ts"
import { formatTick, formatTimeTick } from "./chart-formats.ts"
import { markPlugin } from "./mark-plugin.ts"
import { stacked } from "./stacked.ts"

export interface PlotEvents {
  /** Interval under the pointer; `undefined` when the pointer leaves. */
  readonly pointed: (index: number | undefined) => void
  /** Called with the first and last brushed interval. Without it, brushing is off. */
  readonly brushed: ((first: number, last: number) => void) | undefined
}

type ColourOf = (property: `--${string}`) => string

const AXIS_FONT = "11px system-ui, sans-serif"
/** Room for half of the last tick label, in pixels: `12:00:05`, and others. */
const HALF_TIME_LABEL = 27
const HALF_LABEL = 18
/** Heights, in pixels. */
const PADDING_TOP = 8
const TIME_AXIS = 24
const TICKS_APART = 28
const TEXT_HEIGHT = 12
/** No line between two integers on an axis of counts. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
/** Shorter drags are clicks. In pixels. */
const BRUSH_AT_LEAST = 4

export function plotOptions(
  data: ChartData,
  zone: Zone,
  size: { readonly width: number; readonly height: number },
  colourOf: ColourOf,
  events: PlotEvents,
): uPlot.Options {
  const { x, unit, kind } = data
  const line = { stroke: colourOf("--line"), width: 1 }
  const axis = { stroke: colourOf("--text-muted"), font: AXIS_FONT, ticks: { show: false } }
  return {
    ...size,
    ms: 1,
    tzDate: (milliseconds) => uPlot.tzDate(new Date(milliseconds), zone === UTC ? "Etc/UTC" : zone),
    padding: [PADDING_TOP, x.kind === "time" ? HALF_TIME_LABEL : HALF_LABEL, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: kind === "lines" },
      drag: { x: events.brushed !== undefined, y: false, setScale: false },
    },
    scales: {
      x: { time: x.kind === "time", range: () => xRange(x) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: TIME_AXIS, gap: 4, grid: { show: false }, ...xTicks(x, zone) },
      {
        ...axis,
        grid: line,
        gap: 6,
        ...(unit === "count" && { incrs: WHOLE_STEPS }),
        // Round numbers are at most 2.5 times as large as the one before: a tick besides zero fits on every chart.
        space: Math.min(TICKS_APART, Math.max(TEXT_HEIGHT, (size.height - TIME_AXIS - PADDING_TOP) / 2.8)),
        size: (_plot, values) => 14 + 6.4 * Math.max(2, ...(values ?? []).map((text) => text.length)),
        values: (_plot, splits) => splits.map((value) => formatTick(value, unit)),
      },
    ],
    series: [{}, ...(kind === "bars" ? barSeries(data, colourOf) : lineSeries(data, colourOf))],
    plugins: [markPlugin(data, colourOf)],
    hooks: {
      setCursor: [(plot) => events.pointed(intervalAtPointer(plot, x))],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < BRUSH_AT_LEAST) return
          const last = intervalCount(x) - 1
          const at = (pixel: number) => Math.min(last, Math.max(0, intervalOf(plot.posToVal(pixel, "x"), x)))
          events.brushed?.(at(left), at(left + width - 1))
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
        },
      ],
    },
  }
}

/** Data for uPlot: an axis of ranges by interval index, and bars as cumulative sums. */
export function plotData({ x, kind, series }: ChartData): uPlot.AlignedData {
  // A bar spans its interval; a point is drawn at its middle.
  const within = kind === "bars" ? 0 : 0.5
  const positions = Array.from({ length: intervalCount(x) }, (_, index) => positionOfInterval(x, index + within))
  const values = series.map((one) => one.values)
  // Drawn from the tallest stack down, so that each covers the one before.
  return [positions, ...(kind === "bars" ? stacked(values).toReversed() : values.map((one) => [...one]))]
}

function barSeries({ series }: ChartData, colourOf: ColourOf): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [1, Infinity], align: 1, gap: 1 })
  return series.toReversed().map(({ label, colour }) => ({
    label,
    fill: colourOf(colour),
    width: 0,
    points: { show: false },
    ...(paths && { paths }),
  }))
}

function lineSeries({ series }: ChartData, colourOf: ColourOf): uPlot.Series[] {
  return series.map(({ label, colour, dash, values }) => ({
    label,
    stroke: colourOf(colour),
    width: 1.5,
    points: {
      fill: colourOf(colour),
      // Where uPlot does not draw every point, a line between two would not show a value without neighbours.
      filter: (_plot, _index, showsAll) => (showsAll ? null : isolatedIndexes(values)),
    },
    ...(dash && { dash: [...dash] }),
  }))
}

/** Indexes of the values that have none before and none after them. */
export function isolatedIndexes(values: ChartSeries["values"]): number[] {
  const isKnown = (index: number): boolean => (values[index] ?? null) !== null
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1))
}

function xRange(x: ChartAxis): uPlot.Range.MinMax {
  return [positionOfInterval(x, 0), positionOfInterval(x, Math.max(1, intervalCount(x)))]
}

function xTicks(x: ChartAxis, zone: Zone): Partial<uPlot.Axis> {
  if (x.kind === "time")
    return {
      space: 64,
      values: (_plot, splits, _axis, _space, apart) => splits.map((at) => formatTimeTick(at, apart, zone)),
    }
  return {
    space: 56,
    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    values: (_plot, splits) => splits.map((at) => formatTick(x.edges[at] ?? 0, x.unit)),
  }
}

function intervalAtPointer(plot: uPlot, x: ChartAxis): number | undefined {
  const { left = -1 } = plot.cursor
  if (left < 0) return undefined
  const index = intervalOf(plot.posToVal(left, "x"), x)
  return index >= 0 && index < intervalCount(x) ? index : undefined
}

function intervalOf(value: number, x: ChartAxis): number {
  return Math.floor(x.kind === "time" ? (value - x.from) / x.step : value)
}
