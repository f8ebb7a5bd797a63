import { describe, expect, it } from "vitest"
import { rowWindow } from "#app/traces/[traceId]/_waterfall/row-window.ts"

const BROWSER_LIMIT_PX = 17_895_697
const view = { viewPx: 780, rowPx: 26, focused: 0, scrollTop: 0 }
/** Browsers round scroll positions. */
const ROUNDED_PX = 2
/** The rows that are whole within the visible part. */
const visible = (rows: Parameters<typeof rowWindow>[0]) => {
  const { places, layerTop, topInLayer } = rowWindow(rows)
  const isVisible = (top: number) =>
    top >= rows.scrollTop - ROUNDED_PX && top + rows.rowPx <= rows.scrollTop + rows.viewPx + ROUNDED_PX
  return places.filter((place) => isVisible(layerTop + topInLayer(place)))
}

describe("the rows in a viewport", () => {
  it("are those within it and a few beyond, and the focused one", () => {
    const { places, heightPx } = rowWindow({ ...view, count: 10_000, scrollTop: 26_000 })
    expect(heightPx).toBe(260_000)
    expect([places[0], places[1], places.at(-1)]).toEqual([0, 988, 1_041])
    expect(rowWindow({ ...view, count: 10_000, focused: 9_999 }).places.at(-1)).toBe(9_999)
    expect(rowWindow({ ...view, count: 3, focused: 2 }).places).toEqual([0, 1, 2])
    expect(rowWindow({ ...view, count: 0 }).places).toEqual([])
  })

  it("of a million fit into what browsers draw, and scroll from the first to the last", () => {
    for (const rowPx of [26, 46]) {
      const million = { ...view, rowPx, count: 1_000_000 }
      const { heightPx } = rowWindow(million)
      expect(heightPx).toBeLessThan(BROWSER_LIMIT_PX)
      expect(visible(million)[0]).toBe(0)
      const bottom = { ...million, scrollTop: heightPx - view.viewPx }
      expect(visible(bottom).at(-1)).toBe(999_999)
      expect(rowWindow(bottom).places.length).toBeLessThan(60)
    }
  })

  it.each([10_000, 1_000_000])("of %i stay where they are in their layer while it scrolls", (count) => {
    const before = rowWindow({ ...view, count, scrollTop: 26_000 })
    const after = rowWindow({ ...view, count, scrollTop: 26_200 })
    const both = before.places.filter((place) => after.places.includes(place))
    expect(both.length).toBeGreaterThan(10)
    expect(both.map(after.topInLayer)).toEqual(both.map(before.topInLayer))
  })

  it.each([10_000, 1_000_000])("show any of %i rows after a scroll to it", (count) => {
    for (const place of [0, 1, 29, 30, 5_000, count - 2, count - 1]) {
      const before = { ...view, count, scrollTop: 100_000 }
      expect(visible({ ...before, scrollTop: Math.round(rowWindow(before).topFor(place)) })).toContain(place)
    }
  })

  it("stay where they are when the row is visible already", () => {
    const before = { ...view, count: 10_000, scrollTop: 2_600 }
    expect(rowWindow(before).topFor(105)).toBe(2_600)
  })
})
