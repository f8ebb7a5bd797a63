import type uPlot from "uplot"
import { type ChartData, type ChartMark, positionOf } from "./chart-data.ts"

type ColourOf = (property: `--${string}`) => string

/** Draws the marks of a chart over its series: a dashed line and a label each. */
export function markPlugin({ marks = [], x }: ChartData, colourOf: ColourOf): uPlot.Plugin {
  const draw = (plot: uPlot): void => {
    const { ctx, bbox } = plot
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    const labels: Labels = { rows: [], levels: [] }
    for (const mark of marks) {
      const { axis, at } = mark
      const place = Math.round(plot.valToPos(axis === "x" ? positionOf(x, at) : at, axis, true)) + 0.5
      // A mark outside the scale would be drawn at the edge.
      if (axis === "y" && (place < bbox.top || place > bbox.top + bbox.height)) continue
      drawLine(ctx, bbox, mark, place, colourOf)
      drawLabel(ctx, bbox, mark, place, labels, colourOf)
    }
    ctx.restore()
  }
  return { hooks: { draw } }
}

function drawLine(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: uPlot.BBox,
  { axis, colour }: ChartMark,
  place: number,
  colourOf: ColourOf,
): void {
  const scale = devicePixelRatio
  ctx.lineWidth = scale
  ctx.setLineDash([3 * scale, 3 * scale])
  ctx.strokeStyle = colourOf(colour)
  ctx.beginPath()
  if (axis === "x") {
    ctx.moveTo(place, top)
    ctx.lineTo(place, top + height)
  } else {
    ctx.moveTo(left, place)
    ctx.lineTo(left + width, place)
  }
  ctx.stroke()
}

/** The labels that are drawn, in pixels of the canvas. */
interface Labels {
  /** Where the last label of each row ends. A label of the x axis goes to the first row in which it overlaps none. */
  readonly rows: number[]
  /** Those of the y axis. A label goes to the right of those at its height. */
  readonly levels: { readonly y: number; readonly end: number }[]
}

/** Draws the label on a plate in the background colour, because it may be over bars. */
function drawLabel(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: uPlot.BBox,
  { axis, label, colour }: ChartMark,
  place: number,
  { rows, levels }: Labels,
  colourOf: ColourOf,
): void {
  const scale = devicePixelRatio
  ctx.font = `${11 * scale}px system-ui, sans-serif`
  ctx.textAlign = "left"
  ctx.textBaseline = "alphabetic"
  const length = ctx.measureText(label).width
  const at = { x: left + 4 * scale, y: Math.max(place - 4 * scale, top + 11 * scale) }
  if (axis === "x") {
    const fits = place + length + 6 * scale < left + width
    at.x = fits ? place + 4 * scale : place - length - 4 * scale
    const free = rows.findIndex((end) => end < at.x - 4 * scale)
    const row = free === -1 ? rows.length : free
    at.y = top + (10 + 14 * row) * scale
    // Its line stays, and the table of the chart has its label.
    if (at.y + 3 * scale > top + height) return
    rows[row] = at.x + length
  } else {
    for (const { y, end } of levels) if (Math.abs(y - at.y) < 13 * scale) at.x = Math.max(at.x, end + 8 * scale)
    if (at.x + length > left + width) return
    levels.push({ y: at.y, end: at.x + length })
  }
  ctx.fillStyle = colourOf("--page")
  ctx.fillRect(at.x - 2 * scale, at.y - 10 * scale, length + 4 * scale, 13 * scale)
  ctx.fillStyle = colourOf(colour)
  ctx.fillText(label, at.x, at.y)
}
