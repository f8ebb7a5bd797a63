import { describe, expect, it } from "vitest"
import { placeOf, treeStep } from "#app/traces/[traceId]/_waterfall/tree-keys.ts"
import { visibleRows } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { makeSpan } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

/**
 * 0 root
 * 1   first
 * 2     inner
 * 3   second
 * 4 orphan
 */
const table = tableOf([
  makeSpan(1),
  makeSpan(2, { parent: 1 }),
  makeSpan(3, { parent: 2 }),
  makeSpan(4, { parent: 1 }),
  makeSpan(5, { parent: 99 }),
])

const step = (key: string, active: number, collapsed: number[] = []) => {
  const closed = new Set(collapsed)
  return treeStep(key, { table, rows: visibleRows(table, closed), collapsed: closed, active, page: 3 })
}

describe("a key in the waterfall", () => {
  it.each([
    ["ArrowDown", 0, { type: "go", to: 1 }],
    ["j", 0, { type: "go", to: 1 }],
    ["ArrowUp", 3, { type: "go", to: 2 }],
    ["k", 3, { type: "go", to: 2 }],
    ["End", 0, { type: "go", to: 4 }],
    ["Home", 4, { type: "go", to: 0 }],
    ["PageDown", 0, { type: "go", to: 3 }],
    ["PageUp", 4, { type: "go", to: 1 }],
    ["Enter", 2, { type: "open" }],
    [" ", 2, { type: "open" }],
    ["x", 2, undefined],
    ["Tab", 2, undefined],
  ])("%s at row %i does %o", (key, active, expected) => {
    expect(step(key, active)).toEqual(expected)
  })

  it("stops at both ends", () => {
    expect(step("ArrowUp", 0)).toEqual({ type: "go", to: 0 })
    expect(step("ArrowDown", 4)).toEqual({ type: "go", to: 4 })
    expect(step("PageDown", 3)).toEqual({ type: "go", to: 4 })
  })

  it("right expands a collapsed row, moves to the first child of an expanded one, and stays on a leaf", () => {
    expect(step("ArrowRight", 1, [1])).toEqual({ type: "toggle" })
    expect(step("ArrowRight", 1)).toEqual({ type: "go", to: 2 })
    expect(step("ArrowRight", 2)).toEqual({ type: "stay" })
  })

  it("left collapses an expanded row, moves to the parent from a collapsed one or a leaf, and stays at the top", () => {
    expect(step("ArrowLeft", 1)).toEqual({ type: "toggle" })
    expect(step("ArrowLeft", 1, [1])).toEqual({ type: "go", to: 0 })
    expect(step("ArrowLeft", 2)).toEqual({ type: "go", to: 1 })
    expect(step("ArrowLeft", 4)).toEqual({ type: "stay" })
  })

  it("skips rows inside a collapsed row", () => {
    expect(step("ArrowDown", 1, [1])).toEqual({ type: "go", to: 3 })
    expect(step("ArrowDown", 0, [0, 1])).toEqual({ type: "go", to: 4 })
  })
})

it("a hidden row maps to the collapsed row that hides it", () => {
  const rows = visibleRows(table, new Set([1]))
  expect(rows[placeOf(rows, 2)]).toBe(1)
  expect(rows[placeOf(rows, 3)]).toBe(3)
})
