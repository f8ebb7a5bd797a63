"use client"

import { useRouter } from "next/navigation"
import { use, useMemo } from "react"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { useMarks } from "#app/_ui/chart/use-marks.ts"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import { zoneLabel } from "#app/_ui/format/zone.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import {
  cellPaths,
  cellText,
  durationTicks,
  failedPath,
  type HeatmapPlot,
  levelTexts,
  ordered,
  placeOfRegion,
  plotOf,
  type Region,
  rowText,
  timeTicks,
} from "./heatmap-data.ts"
import styles from "./heatmap.module.css"
import type { HeatmapData } from "./read-overview.ts"
import { useRegion } from "./use-region.ts"

const TITLE = "Traces by start time and duration"

interface HeatmapProps {
  readonly heatmap: Promise<HeatmapData | undefined>
  /** Where releases begin. */
  readonly marks: Promise<readonly ChartMark[]>
  readonly place: ListPlace
}

/** When the listed traces began and how long they took. A drag filters to its times and durations. */
export function Heatmap({ heatmap, marks, place }: HeatmapProps) {
  const data = use(heatmap)
  const known = useMarks(marks)
  if (data === undefined)
    return <p className={styles.none}>Counting the traces timed out. The list below is complete.</p>
  return <Plot data={data} marks={known} place={place} />
}

interface PlotProps {
  readonly data: HeatmapData
  readonly marks: readonly ChartMark[]
  readonly place: ListPlace
}

function Plot({ data, marks, place }: PlotProps) {
  const router = useRouter()
  const plot = useMemo(() => plotOf(data), [data])
  const select = (region: Region) => router.push(listAddress(placeOfRegion(data, plot, region, place)))
  const { region, active, handlers } = useRegion(plot, select)
  const zone = useZone()
  const text = active && cellText(data, plot, active, zone)
  return (
    <figure className={styles.heatmap} aria-label={TITLE}>
      <Legend plot={plot} text={text ?? zoneLabel(data.fromMs, zone)} />
      <div className={styles.chart}>
        <svg className={styles.durations} aria-hidden="true" focusable="false">
          {durationTicks(plot).map(({ at, text: label }) => (
            <text key={label} x="100%" y={`${at * 100}%`} textAnchor="end">
              {label}
            </text>
          ))}
        </svg>
        {/* No other role fits a chart that handles arrow keys. Screen readers read the table below. */}
        <div
          className={styles.plot}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          role="application"
          aria-label={`${TITLE}: arrow keys select a cell, Shift extends the region, Enter filters to it`}
          {...handlers}
        >
          <Cells data={data} plot={plot} region={region} />
          <Marks data={data} marks={marks} />
        </div>
        <svg className={styles.times} aria-hidden="true" focusable="false">
          {timeTicks(data, zone).map(({ at, text: label }) => (
            <text key={at} x={`${at * 100}%`} y="12" textAnchor={at < 0.02 ? "start" : "middle"}>
              {label}
            </text>
          ))}
        </svg>
      </div>
      <output className="visually-hidden">{region && text}</output>
      <Table data={data} plot={plot} />
      {marks.map(({ at, label }) => (
        <p key={`${at} ${label}`} className="visually-hidden">
          {label}
        </p>
      ))}
    </figure>
  )
}

function Cells({ data, plot, region }: { data: HeatmapData; plot: HeatmapPlot; region: Region | undefined }) {
  const paths = useMemo(() => cellPaths(plot, data.cells), [plot, data])
  const failed = useMemo(() => failedPath(plot, data.cells), [plot, data])
  return (
    <svg viewBox={`0 0 ${plot.steps} ${plot.rows}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {paths.map((path, level) => (
        <path key={plot.levels[level]} d={path} className={styles.cell} fillOpacity={opacityOf(level, paths.length)} />
      ))}
      <path d={failed} className={styles.failed} />
      {region !== undefined && <Marked region={ordered(region)} plot={plot} />}
    </svg>
  )
}

/** Pixels between the labels of marks, which may be close to each other. */
const MARK_ROW = 15

function Marks({ data: { fromMs, stepMs, count }, marks }: Pick<PlotProps, "data" | "marks">) {
  return (
    <svg className={styles.marks} aria-hidden="true" focusable="false">
      {marks.map(({ at, label }, row) => {
        const share = (at - fromMs) / (count * stepMs)
        const x = `${share * 100}%`
        return (
          <g key={`${at} ${label}`}>
            <line x1={x} x2={x} y1="0" y2="100%" />
            <text x={x} y={11 + row * MARK_ROW} dx={share > 0.8 ? -4 : 4} textAnchor={share > 0.8 ? "end" : "start"}>
              {label}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

function Marked({ region: { first, last }, plot }: { region: Region; plot: HeatmapPlot }) {
  return (
    <rect
      className={styles.marked}
      x={first.step}
      width={last.step - first.step + 1}
      y={plot.rows - 1 - last.row}
      height={last.row - first.row + 1}
    />
  )
}

/** From a third to the whole colour. */
function opacityOf(level: number, count: number): number {
  return count === 1 ? 1 : 0.35 + (0.65 * level) / (count - 1)
}

/** What the colours mean, and the cell under the pointer or the zone of the axis. */
function Legend({ plot, text }: { plot: HeatmapPlot; text: string }) {
  const texts = levelTexts(plot)
  return (
    <div className={styles.legend} aria-hidden="true">
      <ul>
        <li>Traces</li>
        {texts.map((label, level) => (
          <li key={label}>
            <svg width="10" height="10" focusable="false">
              <rect width="10" height="10" className={styles.cell} fillOpacity={opacityOf(level, texts.length)} />
            </svg>
            {label}
          </li>
        ))}
        <li>
          <svg width="10" height="10" focusable="false">
            <rect y="7" width="10" height="3" className={styles.failed} />
          </svg>
          some failed
        </li>
      </ul>
      <span>{text}</span>
    </div>
  )
}

/** The traces by duration, for assistive technology; the histogram has them by time. */
function Table({ data, plot }: { data: HeatmapData; plot: HeatmapPlot }) {
  const zone = useZone()
  const rows = Array.from({ length: plot.rows }, (_, index) => plot.lowest + index).flatMap((row) => {
    const cells = data.cells.filter((cell) => cell.row === row)
    if (cells.length === 0) return []
    const most = cells.reduce((a, b) => (b.traces > a.traces ? b : a))
    const sum = (of: "traces" | "failed") => cells.reduce((total, cell) => total + cell[of], 0)
    return [{ row, traces: sum("traces"), failed: sum("failed"), most: { step: most.step, row: row - plot.lowest } }]
  })
  return (
    <div className="visually-hidden">
      <table>
        <caption>{TITLE}</caption>
        <thead>
          <tr>
            {["Duration", "Traces", "Failed", "Most"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, traces, failed, most }) => (
            <tr key={row}>
              <th scope="row">{rowText(row)}</th>
              <td>{formatCount(traces)}</td>
              <td>{formatCount(failed)}</td>
              <td>{cellText(data, plot, most, zone)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
