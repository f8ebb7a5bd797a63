import { shownName } from "#app/_ui/format/text.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { FlameLanes } from "#otel/inspector/queries/trace/flame-lanes.ts"
import type { ClosedFolds, Folds } from "#otel/inspector/queries/trace/folds.ts"
import type { TimeColumns } from "#otel/inspector/queries/trace/self-time.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import type { Palette } from "./use-palette.ts"
import type { Size } from "./use-size.ts"

export const LANE_HEIGHT = 18
/** Narrower bars get no label. In pixels. */
const LABEL_WIDTH = 28
const PADDING = 4
const NAME_LIMIT = 80

export interface FlameScene {
  readonly table: WaterfallTable
  readonly lanes: FlameLanes
  /** Times of the rows, in which the row of a fold reaches over all its spans. */
  readonly times: TimeColumns
  readonly folds: Folds
  readonly closed: ClosedFolds
  readonly window: TimeWindow
  /** Scroll offset of the lanes, in pixels. */
  readonly scrolled: number
  readonly selected: number
  /** 1 for each row that matches the search; `undefined` without a match. */
  readonly found: Uint8Array | undefined
  /** The critical path; `undefined` while hidden. */
  readonly pieces: readonly PathPiece[] | undefined
}

/**
 * Draws the visible lanes. Of bars narrower than a pixel one is drawn per pixel and lane, so that the cost of a frame depends on
 * pixels, not on spans.
 */
export function drawFlame(
  canvas: HTMLCanvasElement,
  scene: FlameScene,
  palette: Palette,
  { width, height }: Size,
): void {
  const scale = window.devicePixelRatio || 1
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext("2d")
  if (context === null) return
  context.scale(scale, scale)
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`
  context.textBaseline = "middle"
  const { table, lanes, scrolled } = scene
  const firstLane = Math.floor(scrolled / LANE_HEIGHT)
  const lastLane = Math.ceil((scrolled + height) / LANE_HEIGHT)
  const paintedUpTo = new Float64Array(lanes.count).fill(-1)
  for (let row = 0; row < table.length; row++) {
    const lane = lanes.lane[row] ?? -1
    if (lane === -1 || lane < firstLane || lane > lastLane) continue
    const box = boxOf(scene, row, width)
    if (box.right < 0 || box.left > width) continue
    const isNarrow = box.right - box.left < 1
    if (isNarrow && Math.floor(box.left) === paintedUpTo[lane] && scene.found?.[row] !== 1) continue
    if (isNarrow) paintedUpTo[lane] = Math.floor(box.left)
    drawSpan(context, scene, palette, row, { ...box, top: lane * LANE_HEIGHT - scrolled, width })
  }
  drawPath(context, scene, palette, width)
}

/** Draws a line along the upper edge of spans on the critical path. */
function drawPath(context: CanvasRenderingContext2D, scene: FlameScene, palette: Palette, width: number): void {
  context.fillStyle = palette.text
  for (const { row, from, to } of scene.pieces ?? []) {
    const shown = scene.lanes.lane[row] === -1 ? (scene.folds.first[row] ?? -1) : row
    if (shown === -1) continue
    const left = shareOf(scene.window, from) * width
    const top = (scene.lanes.lane[shown] ?? 0) * LANE_HEIGHT - scene.scrolled
    context.fillRect(left, top, Math.max(1, shareOf(scene.window, to) * width - left), 3)
  }
}

function boxOf({ times, window }: FlameScene, row: number, width: number): { left: number; right: number } {
  const offset = times.offset[row] ?? 0
  return {
    left: shareOf(window, offset) * width,
    right: shareOf(window, offset + (times.duration[row] ?? 0)) * width,
  }
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly width: number
}

function drawSpan(context: CanvasRenderingContext2D, scene: FlameScene, palette: Palette, row: number, box: Box): void {
  const { table, found, selected } = scene
  const left = Math.max(-2, box.left)
  const width = Math.max(1, Math.min(box.width + 2, box.right) - left)
  const isError = table.has(row, MARK.error)
  context.globalAlpha = found?.[row] === 0 ? 0.25 : 1
  context.fillStyle = palette.services[table.serviceIndex[row] ?? 0] ?? palette.muted
  context.fillRect(left, box.top + 1, width, LANE_HEIGHT - 2)
  if (isError) {
    // A bar along the lower edge, and a cross where it fits, so that colour is not the only signal.
    context.fillStyle = palette.error
    context.fillRect(left, box.top + LANE_HEIGHT - 5, width, 4)
  }
  if (row === selected) {
    context.strokeStyle = palette.text
    context.lineWidth = 2
    context.strokeRect(left + 1, box.top + 1, Math.max(2, width - 2), LANE_HEIGHT - 2)
  }
  if (width > LABEL_WIDTH) {
    context.save()
    context.beginPath()
    context.rect(Math.max(0, left), box.top, width - PADDING, LANE_HEIGHT)
    context.clip()
    context.fillStyle = palette.page
    const members = scene.closed.get(row)
    const name = (members === undefined ? "" : `${members.length} × `) + shownName(table.name(row).slice(0, NAME_LIMIT))
    context.fillText(isError ? `✕ ${name}` : name, Math.max(0, left) + PADDING, box.top + LANE_HEIGHT / 2)
    context.restore()
  }
  context.globalAlpha = 1
}

/** The row at a position on the canvas, or -1. Narrow bars have a tolerance of three pixels. */
export function rowUnder(scene: FlameScene, x: number, y: number, width: number): number {
  const lane = Math.floor((y + scene.scrolled) / LANE_HEIGHT)
  let best = -1
  let distance = 3
  for (let row = 0; row < scene.table.length; row++) {
    if (scene.lanes.lane[row] !== lane) continue
    const { left, right } = boxOf(scene, row, width)
    const away = x < left ? left - x : x > right ? x - right : 0
    if (away < distance) {
      best = row
      distance = away
    }
    if (away === 0) return row
  }
  return best
}
