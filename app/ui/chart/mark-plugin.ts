import type uPlot from "uplot"
import { type ChartData, positionOf } from "./chart-data.ts"

/** Draws a chart's marks over its series: a dashed line each, with its word beside it. */
export function markPlugin({ marks = [], x }: ChartData, colourOf: (property: `--${string}`) => string): uPlot.Plugin {
  const draw = (plot: uPlot): void => {
    const { ctx, bbox } = plot
    const scale = devicePixelRatio
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    ctx.lineWidth = scale
    ctx.setLineDash([3 * scale, 3 * scale])
    ctx.font = `${11 * scale}px system-ui, sans-serif`
    ctx.textAlign = "left"
    ctx.textBaseline = "alphabetic"
    let row = 0
    for (const { axis, at, label, colour } of marks) {
      ctx.strokeStyle = ctx.fillStyle = colourOf(colour)
      const [left, top] = [bbox.left, bbox.top]
      const place = Math.round(plot.valToPos(axis === "x" ? positionOf(x, at) : at, axis, true)) + 0.5
      // A mark beyond what is drawn would stand at the edge as if it were there.
      if (axis === "y" && (place < top || place > top + bbox.height)) continue
      ctx.beginPath()
      if (axis === "x") {
        ctx.moveTo(place, top)
        ctx.lineTo(place, top + bbox.height)
        const width = ctx.measureText(label).width
        const fits = place + width + 6 * scale < left + bbox.width
        ctx.fillText(label, fits ? place + 4 * scale : place - width - 4 * scale, top + (9 + 12 * row++) * scale)
      } else {
        ctx.moveTo(left, place)
        ctx.lineTo(left + bbox.width, place)
        ctx.fillText(label, left + 4 * scale, Math.max(place - 4 * scale, top + 11 * scale))
      }
      ctx.stroke()
    }
    ctx.restore()
  }
  return { hooks: { draw } }
}
