import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { figuresOf, SIZING_PAGE, sizingPage } from "./sizing-page.ts"

const page = readFileSync(SIZING_PAGE, "utf8")

test("the sizing guide is computed from the figures that were measured (npm run bench:sizing)", () => {
  expect(page).toBe(sizingPage(figuresOf(page)))
})

test("ten times the spans need ten times the disk, and not ten times the inserts", () => {
  const figures = figuresOf(page)
  const row = (name: string) =>
    sizingPage({
      ...figures,
      spans: 1_000,
      tables: [{ name: "t", rows: 2_000, bytes: 100_000 }],
      insertedRows: 2_000,
      mergedRows: 6_000,
      cpuSeconds: 0.02,
    })
      .split("\n")
      .find((line) => line.startsWith(`| ${name}`))
      ?.split("|")
      .slice(2, -1)
      .map((cell) => cell.trim())
  expect(row("on disk, one day")).toEqual(["100 MB", "1 GB", "10 GB"])
  expect(row("on disk, 30 days")).toEqual(["3 GB", "30 GB", "300 GB"])
  expect(row("rows a day")).toEqual(["2 million", "20 million", "200 million"])
  expect(row("inserts a second")).toEqual(["4", "4", "4"])
  expect(row("rows a second that merges")).toEqual(["347", "3,470", "34,700"])
  expect(row("cores")).toEqual(["0.0012", "0.012", "0.12"])
})
