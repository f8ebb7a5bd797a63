import { formatInterval, formatTimeTick } from "#app/_ui/chart/chart-formats.ts"
import { countOf } from "#app/_ui/format/quantity.ts"
import { formatDuration, momentText } from "#app/_ui/format/time.ts"
import { UTC, type Zone } from "#app/_ui/format/zone.ts"
import { type ListPlace, regionPlace } from "#app/_filter/list-address.ts"
import { replaceField } from "#otel/inspector/queries/filters.ts"
import {
  durationTerms,
  EDGES_PER_DECADE,
  type HeatmapCell,
  DURATION_EDGES,
  rowRange,
} from "#otel/inspector/queries/list/heatmap.ts"
import { roundStep } from "#otel/inspector/queries/list/trace-overview.ts"
import type { HeatmapData } from "./read-overview.ts"

/** Time and duration of a cell, counted from the first step and the lowest row that is shown. */
export interface Cell {
  readonly step: number
  readonly row: number
}

/** Cells between two corners, both included. */
export interface Region {
  readonly first: Cell
  readonly last: Cell
}

/** The part of the heatmap that is shown. */
export interface HeatmapPlot {
  readonly steps: number
  /** Row of the store that is the lowest shown. */
  readonly lowest: number
  readonly rows: number
  /** The most traces that a colour stands for, from the lightest. */
  readonly levels: readonly number[]
}

/** With fewer rows the cells of equally long traces would fill the chart. */
const LEAST_ROWS = 9
const LEVELS = 5

export function plotOf({ count, cells }: Pick<HeatmapData, "count" | "cells">): HeatmapPlot {
  const rows = cells.map(({ row }) => row)
  const [low, high] = rows.length === 0 ? [19, 31] : [Math.min(...rows), Math.max(...rows)]
  const missing = Math.max(0, LEAST_ROWS - (high - low + 1))
  const lowest = Math.max(0, low - Math.ceil(missing / 2))
  const highest = Math.min(DURATION_EDGES.length, Math.max(high, lowest + LEAST_ROWS - 1))
  const most = Math.max(1, ...cells.map(({ traces }) => traces))
  return { steps: count, lowest, rows: highest - lowest + 1, levels: levelsUpTo(most) }
}

/** Powers of one factor, since few cells have most of the traces. */
function levelsUpTo(most: number): number[] {
  const levels = Array.from({ length: LEVELS }, (_, level) => Math.round(most ** ((level + 1) / LEVELS)))
  return [...new Set(levels)]
}

/** `1`, `2–4`, and so on: the counts that each colour stands for. */
export function levelTexts({ levels }: HeatmapPlot): string[] {
  return levels.map((to, level) => {
    const from = (levels[level - 1] ?? 0) + 1
    return from === to ? `${to}` : `${from}–${to}`
  })
}

/** One SVG path for each colour: a square of one unit for each cell. */
export function cellPaths(plot: HeatmapPlot, cells: readonly HeatmapCell[]): string[] {
  return plot.levels.map((to, level) => {
    const above = plot.levels[level - 1] ?? 0
    return cells
      .filter(({ traces }) => traces > above && traces <= to)
      .map(({ step, row }) => `M${step} ${yOf(plot, row)}h1v1h-1z`)
      .join("")
  })
}

/** The same of the cells with failed traces: a stripe at their bottom. */
export function failedPath(plot: HeatmapPlot, cells: readonly HeatmapCell[]): string {
  return cells
    .filter(({ failed }) => failed > 0)
    .map(({ step, row }) => `M${step} ${yOf(plot, row) + 0.7}h1v.3h-1z`)
    .join("")
}

/** The longest durations are at the top. */
function yOf({ lowest, rows }: HeatmapPlot, row: number): number {
  return rows - 1 - (row - lowest)
}

export interface Tick {
  /** Share of the axis, from the left or from the top. */
  readonly at: number
  readonly text: string
}

const DURATION_TICKS = 5
const TIME_TICKS = 6

/** Lower ends of rows, at the same parts of each decade. */
export function durationTicks({ lowest, rows }: HeatmapPlot): Tick[] {
  const apart = [1, 2, 3, EDGES_PER_DECADE].find((each) => rows / each <= DURATION_TICKS) ?? 2 * EDGES_PER_DECADE
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => {
    const edge = lowest + row - 1
    const [from] = rowRange(lowest + row)
    if (from === undefined || edge % apart !== 0) return []
    return [{ at: 1 - row / rows, text: durationText(from) }]
  })
}

export function timeTicks({ fromMs, stepMs, count }: HeatmapData, zone: Zone = UTC): Tick[] {
  const apart = roundStep(count * stepMs, TIME_TICKS)
  const first = Math.ceil(fromMs / apart) * apart
  const ticks: Tick[] = []
  for (let at = first; at < fromMs + count * stepMs; at += apart)
    ticks.push({ at: (at - fromMs) / (count * stepMs), text: formatTimeTick(at, apart, zone) })
  return ticks
}

/** `12:00 to 12:05, 100 ms to 150 ms: 3 traces, 1 failed`. */
export function cellText(data: HeatmapData, plot: HeatmapPlot, { step, row }: Cell, zone: Zone = UTC): string {
  const cell = data.cells.find((each) => each.step === step && each.row === plot.lowest + row)
  const time = formatInterval({ kind: "time", from: data.fromMs, step: data.stepMs, count: data.count }, step, zone)
  const failed = cell === undefined || cell.failed === 0 ? "" : `, ${cell.failed} failed`
  return `${time}, ${rowText(plot.lowest + row)}: ${countOf(cell?.traces ?? 0, "trace")}${failed}`
}

/** `100 ms to 150 ms`. */
export function rowText(row: number): string {
  const [from, to] = rowRange(row)
  if (from === undefined) return `under ${durationText(to ?? 0)}`
  return to === undefined ? `${durationText(from)} and more` : `${durationText(from)} to ${durationText(to)}`
}

function durationText(nanos: number): string {
  return formatDuration(BigInt(nanos))
    .replace(/\.0+(?=\D)/, "")
    .replace(/(\.\d*[1-9])0+(?=\D)/, "$1")
    .replace(/\D0\D[sm]$/, "")
}

/** The region with its corners in order. */
export function ordered({ first, last }: Region): Region {
  return {
    first: { step: Math.min(first.step, last.step), row: Math.min(first.row, last.row) },
    last: { step: Math.max(first.step, last.step), row: Math.max(first.row, last.row) },
  }
}

/** The list of the traces of a region: its times become the time range, its durations terms of the filter. */
export function placeOfRegion(data: HeatmapData, plot: HeatmapPlot, region: Region, place: ListPlace): ListPlace {
  const { first, last } = ordered(region)
  const { fromMs, stepMs, count, sinceMs, untilMs } = data
  const isAllTime = first.step === 0 && last.step === count - 1
  const isAnyDuration = first.row === 0 && last.row === plot.rows - 1
  const from = fromMs + first.step * stepMs
  const to = fromMs + (last.step + 1) * stepMs
  const terms = durationTerms(plot.lowest + first.row, plot.lowest + last.row)
  return regionPlace(place, {
    ...(!isAllTime && {
      since: momentText(Math.max(from, sinceMs ?? from)),
      until: momentText(Math.min(to, untilMs ?? to)),
    }),
    ...(!isAnyDuration && { filter: replaceField(place.filter, "duration", terms) }),
  })
}
