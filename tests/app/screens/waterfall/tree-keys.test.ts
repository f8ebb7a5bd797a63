import { describe, expect, it } from "vitest"
import { placeOf, treeStep } from "#app/traces/[traceId]/_waterfall/tree-keys.ts"
import { closedFolds, foldedRows, foldsOf } from "#otel/inspector/queries/trace/folds.ts"
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
  const folds = { members: new Map<number, readonly number[]>() }
  return treeStep(key, {
    table,
    rows: visibleRows(table, closed),
    collapsed: closed,
    folds,
    opened: new Set(),
    active,
    page: 3,
  })
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

describe("a key at a fold of equal siblings", () => {
  /**
   * 0 root
   * 1   query   ×6, each with one child
   * 13  render
   */
  const looped = tableOf([
    makeSpan(1),
    ...Array.from({ length: 6 }, (_, i) => [
      makeSpan(10 + i, { parent: 1, name: "query" }),
      makeSpan(20 + i, { parent: 10 + i, name: "rows" }),
    ]).flat(),
    makeSpan(99, { parent: 1, name: "render" }),
  ])
  const folds = foldsOf(looped)
  const press = (key: string, active: number, opened: number[] = [], collapsed: number[] = []) => {
    const open = new Set(opened)
    const closed = new Set(collapsed)
    const rows = visibleRows(looped, closed, undefined, foldedRows(looped, closedFolds(folds, open)))
    return treeStep(key, { table: looped, rows, collapsed: closed, folds, opened: open, active, page: 3 })
  }

  it("passes it as one row", () => {
    expect(press("ArrowDown", 0)).toEqual({ type: "go", to: 1 })
    expect(press("ArrowDown", 1)).toEqual({ type: "go", to: 13 })
    expect(press("ArrowUp", 13)).toEqual({ type: "go", to: 1 })
  })

  it("right opens it, then goes into it", () => {
    expect(press("ArrowRight", 1)).toEqual({ type: "toggle" })
    expect(press("ArrowRight", 1, [1])).toEqual({ type: "go", to: 2 })
    expect(press("ArrowDown", 2, [1])).toEqual({ type: "go", to: 3 })
  })

  it("left collapses its first row, then closes it, then goes to the parent", () => {
    expect(press("ArrowLeft", 1, [1])).toEqual({ type: "toggle" })
    expect(press("ArrowLeft", 1, [1], [1])).toEqual({ type: "fold" })
    expect(press("ArrowLeft", 1)).toEqual({ type: "go", to: 0 })
  })
})

it("a hidden row maps to the collapsed row that hides it", () => {
  const rows = visibleRows(table, new Set([1]))
  expect(rows[placeOf(rows, 2)]).toBe(1)
  expect(rows[placeOf(rows, 3)]).toBe(3)
})
