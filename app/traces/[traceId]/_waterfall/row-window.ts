/** Rows of equal height in a scroller, and where they are. Lengths in pixels. */
export interface ScrolledRows {
  readonly scrollTop: number
  /** Height of the visible part. */
  readonly viewPx: number
  readonly rowPx: number
  readonly count: number
  /** Index of a row that is shown wherever it is. */
  readonly focused: number
}

export interface RowWindow {
  /** Whether there are more rows than a browser can draw, so that they scroll faster than the scroll bar moves. */
  readonly isScaled: boolean
  /** Height of the element that contains the rows. */
  readonly heightPx: number
  /** Indexes of the rows to show, ascending. */
  readonly places: readonly number[]
  /** Where the layer with the rows is in that element. */
  readonly layerTop: number
  /** Where a row is in the layer: while thousands of rows scroll by, the same. */
  readonly topInLayer: (place: number) => number
  /** The scroll position nearest to the current one that shows a row. */
  readonly topFor: (place: number) => number
}

/**
 * Browsers draw nothing beyond 33,554,400 pixels (Chromium) or 17,895,697 (Firefox). More rows than fit scroll faster than the
 * scroll bar moves: at 26 pixels more than 615,000.
 */
const HEIGHT_LIMIT_PX = 16_000_000
/** Rows for which the layer begins at the same one. */
const LAYER_ROWS = 4_096
/** Rows shown beyond the visible part, on both sides. */
const OVERSCAN = 12

export function rowWindow({ scrollTop, viewPx, rowPx, count, focused }: ScrolledRows): RowWindow {
  const wholePx = count * rowPx
  const heightPx = Math.min(wholePx, HEIGHT_LIMIT_PX)
  const speed = heightPx < wholePx ? (wholePx - viewPx) / (heightPx - viewPx) : 1
  const offset = scrollTop * speed
  const first = Math.max(0, Math.floor(offset / rowPx) - OVERSCAN)
  const end = Math.min(count, Math.ceil((offset + viewPx) / rowPx) + OVERSCAN)
  const origin = (first - (first % LAYER_ROWS)) * rowPx
  const places = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
  if (focused >= 0 && focused < first) places.unshift(focused)
  else if (focused >= Math.max(first, end) && focused < count) places.push(focused)
  return {
    isScaled: speed !== 1,
    heightPx,
    places,
    layerTop: origin - (speed === 1 ? 0 : offset - scrollTop),
    topInLayer: (place) => place * rowPx - origin,
    topFor: (place) => Math.min(place * rowPx, Math.max(offset, (place + 1) * rowPx - viewPx)) / speed,
  }
}
