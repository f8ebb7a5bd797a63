"use client"

import { formatDuration } from "#app/_ui/format/time.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import { foldExtent } from "#otel/inspector/queries/trace/folds.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { LogTicks, ticksText } from "../_logs/log-ticks.tsx"
import type { LogTick } from "../_logs/use-trace-logs.ts"
import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import styles from "./timeline.module.css"

/** Bars ending before this share have their label on the right; bars starting after it, on the left. */
const ROOM_RIGHT = 0.84
const ROOM_LEFT = 0.16
/** Bars are clipped this far outside the visible range. */
const OUTSIDE = 0.02
/** Events drawn on one bar at most. */
const MOMENT_LIMIT = 40

const NONE: readonly never[] = []

interface SpanBarProps {
  readonly table: WaterfallTable
  readonly row: number
  /** The rows of the fold that the bar stands for. */
  readonly fold: readonly number[] | undefined
  readonly window: TimeWindow
  /** Times of error events, in nanoseconds from the start of the trace. */
  readonly errorsAt: readonly number[] | undefined
  /** Logs of severity warn and above. */
  readonly logTicks: readonly LogTick[] | undefined
  /** Parts on the critical path, when it is shown. */
  readonly path: readonly PathPiece[] | undefined
}

export function SpanBar({ table, row, fold, window, errorsAt = NONE, logTicks = NONE, path = NONE }: SpanBarProps) {
  const offset = table.offset[row] ?? 0
  const { end: to, total } = foldExtent(table, fold ?? [row])
  const start = clamp(shareOf(window, offset))
  const end = clamp(shareOf(window, to))
  const duration = formatDuration(BigInt(Math.round(total)))
  const isCached = (fold ?? [row]).every((each) => table.has(each, MARK.cached))
  const moments = fold === undefined ? momentsOfRow(table, row, MOMENT_LIMIT) : NONE
  const errors = [...errorsAt, ...moments.filter(({ isException }) => isException).map(({ at }) => at)]
  return (
    <>
      <svg className={styles.bar} width="100%" height="100%" aria-hidden="true" focusable="false">
        <rect
          x={percent(start)}
          width={percent(end - start)}
          y="25%"
          height="50%"
          rx="2"
          data-kind={table.kind(row)}
          data-fold={fold !== undefined || undefined}
        />
        {fold !== undefined && <Members table={table} fold={fold} window={window} />}
        {/* Keeps spans without width visible. */}
        <line x1={percent(start)} x2={percent(start)} y1="25%" y2="75%" />
        {path.map(({ from, to }) => (
          <rect
            key={from}
            className={styles.path}
            x={percent(clamp(shareOf(window, from)))}
            width={percent(clamp(shareOf(window, to)) - clamp(shareOf(window, from)))}
            y="80%"
            height="12%"
          />
        ))}
        {moments.map(({ at, isException }, index) => (
          // Events have no id, and several may have the same time.
          // oxlint-disable-next-line react/no-array-index-key
          <Moment key={index} at={shareOf(window, at)} isError={isException} />
        ))}
        {errorsAt.map((at, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <Moment key={`error ${index}`} at={shareOf(window, at)} isError />
        ))}
        <LogTicks ticks={logTicks} window={window} />
        <text y="50%" dominantBaseline="central" {...besideErrors(label(start, end), errors, window)}>
          {start >= 1 ? "▸ " : ""}
          {isCached ? "from cache" : duration}
          {end <= 0 ? " ◂" : ""}
        </text>
      </svg>
      <span className="visually-hidden">
        {duration}
        {fold !== undefined && " together"}
        {isCached && ", from the browser's cache"}, starting at {formatDuration(BigInt(Math.round(offset)))}
        {moments.length > 0 && `, ${moments.length} events`}
        {logTicks.length > 0 && `, ${ticksText(logTicks)}`}
        {path.length > 0 && ", on the critical path"}
      </span>
    </>
  )
}

/** Steps of the width of the timeline, of which each is drawn once however many spans are in it. */
const STEPS = 1_000

/** The spans of a fold in one path: its cost depends on the width and not on their number. */
function Members({ table, fold, window }: { table: WaterfallTable; fold: readonly number[]; window: TimeWindow }) {
  const parts: string[] = []
  let upTo = -1
  for (const row of fold) {
    const offset = table.offset[row] ?? 0
    const from = Math.max(upTo, Math.round(clamp(shareOf(window, offset)) * STEPS))
    const to = Math.round(clamp(shareOf(window, offset + (table.duration[row] ?? 0))) * STEPS)
    if (from > STEPS || to < 0 || to + 1 <= upTo) continue
    upTo = Math.max(to, from + 1)
    parts.push(`M${from} 0H${upTo}V1H${from}Z`)
  }
  return (
    <svg y="25%" height="50%" width="100%" viewBox={`0 0 ${STEPS} 1`} preserveAspectRatio="none">
      <path className={styles.members} d={parts.join("")} />
    </svg>
  )
}

/** A tick for an event, a diamond for an error. */
function Moment({ at, isError }: { at: number; isError: boolean }) {
  if (at < -OUTSIDE || at > 1 + OUTSIDE) return null
  return isError ? (
    <svg x={percent(at)} y="50%" overflow="visible">
      <path className={styles.thrown} d="M0-5 4 0 0 5-4 0Z" />
    </svg>
  ) : (
    <line className={styles.event} x1={percent(at)} x2={percent(at)} y1="18%" y2="82%" />
  )
}

function label(start: number, end: number) {
  if (start >= 1) return { x: "100%", dx: -6, textAnchor: "end" as const }
  if (end <= ROOM_RIGHT) return { x: percent(Math.max(0, end)), dx: 6 }
  if (start >= ROOM_LEFT) return { x: percent(start), dx: -6, textAnchor: "end" as const }
  return { x: percent(Math.min(1, end)), dx: -6, textAnchor: "end" as const, className: styles.within }
}

/** Share of the timeline that half a diamond takes at most, and how far the label keeps from it in pixels. */
const DIAMOND = 0.01
const CLEAR = 12

/** The label with more room where the diamond of an error is at its edge. */
function besideErrors(at: ReturnType<typeof label>, errors: readonly number[], window: TimeWindow) {
  const edge = Number.parseFloat(at.x) / 100
  const isTouched = errors.some((error) => Math.abs(shareOf(window, error) - edge) < DIAMOND)
  return isTouched ? { ...at, dx: Math.sign(at.dx) * CLEAR } : at
}

function clamp(share: number): number {
  return Math.min(1 + OUTSIDE, Math.max(-OUTSIDE, share))
}

function percent(share: number): string {
  return `${Math.round(share * 1e6) / 1e4}%`
}

interface RowMoment {
  /** Nanoseconds from the earliest start of the trace. */
  readonly at: number
  readonly isException: boolean
}

/** The first events of a row, by time. A binary search, because the columns are sorted by row. */
function momentsOfRow({ events }: WaterfallTable, row: number, limit: number): RowMoment[] {
  const moments: RowMoment[] = []
  for (let index = firstOf(events.row, row); events.row[index] === row && moments.length < limit; index++)
    moments.push({ at: events.offset[index] ?? 0, isException: events.isException(index) })
  return moments
}

function firstOf(rows: Int32Array, row: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] ?? 0) < row) low = middle + 1
    else high = middle
  }
  return low
}
