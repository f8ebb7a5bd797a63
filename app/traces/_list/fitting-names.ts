/** Between two names, in pixels, as in `trace-table.module.css`. */
const GAP_PX = 12

/**
 * How many of the names fit into one line, with the number of the rest behind them. At least one, which is cut if it is too long.
 *
 * @param widths of the names, in pixels.
 * @param widthOf width of a text, in pixels.
 */
export function fittingNames(widths: readonly number[], room: number, widthOf: (text: string) => number): number {
  for (let count = widths.length; count > 1; count--) {
    const rest = widths.length - count
    const parts = [...widths.slice(0, count), ...(rest > 0 ? [widthOf(`+${rest}`)] : [])]
    if (parts.reduce((sum, part) => sum + part + GAP_PX, -GAP_PX) <= room) return count
  }
  return 1
}
