import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { Palette } from "./use-palette.ts"
import type { Size } from "./use-size.ts"

/** Tallest row in pixels, so that a small trace does not fill the minimap. */
const TALLEST_ROW = 6

/**
 * Draws all rows of the trace over its time. It writes pixels into one image, which for 200,000 spans is ten times as fast as
 * rectangles. Rows share lines where there are more rows than lines. Errors are drawn last, so that nothing covers them.
 */
export function drawMinimap(canvas: HTMLCanvasElement, table: WaterfallTable, palette: Palette, size: Size): void {
  const scale = window.devicePixelRatio || 1
  const width = Math.max(1, Math.round(size.width * scale))
  const height = Math.max(1, Math.round(size.height * scale))
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext("2d")
  if (context === null || table.length === 0) return
  const pixels = new Uint32Array(width * height)
  const colours = palette.services.map(pixelOf)
  const error = pixelOf(palette.error)
  const rowHeight = Math.min(TALLEST_ROW * scale, height / table.length)
  const thickness = Math.max(1, Math.floor(rowHeight * 0.8))
  const draw = (row: number, colour: number, least: number) => {
    const from = Math.floor(((table.offset[row] ?? 0) / table.traceDuration) * (width - 1)) || 0
    const length = Math.max(least, Math.round(((table.duration[row] ?? 0) / table.traceDuration) * width) || 0)
    const top = Math.min(height - 1, Math.floor(row * rowHeight))
    for (let line = top; line < Math.min(height, top + thickness); line++)
      pixels.fill(colour, line * width + from, line * width + Math.min(width, from + length))
  }
  for (let row = 0; row < table.length; row++) draw(row, colours[table.serviceIndex[row] ?? 0] ?? error, 1)
  for (let row = 0; row < table.length; row++) if (table.has(row, MARK.error)) draw(row, error, 2 * scale)
  context.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0)
}

/** A CSS colour as a 32-bit pixel in native byte order. */
function pixelOf(colour: string): number {
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d", { willReadFrequently: true })
  if (context === null) return 0
  context.fillStyle = colour
  context.fillRect(0, 0, 1, 1)
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0] ?? 0
}
