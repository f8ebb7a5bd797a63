import { expect, it } from "vitest"
import { compareTraces } from "#otel/inspector/queries/trace/compare-traces.ts"
import { makeSpan } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const MS = 1_000_000n
const span = (number: number, name: string, ms: bigint, parent?: number, service = "web") =>
  makeSpan(number, { name, service, from: BigInt(number), to: BigInt(number) + ms * MS, ...(parent && { parent }) })

const before = tableOf([
  span(1, "route", 100n),
  span(2, "query", 10n, 1),
  span(3, "query", 10n, 1),
  span(4, "render", 50n, 1),
  span(5, "gone", 5n, 1),
  span(6, "gone below", 5n, 5),
  span(7, "noise", 20n, 1),
])
const after = tableOf([
  span(11, "route", 140n),
  span(12, "query", 30n, 11),
  span(14, "render", 30n, 11),
  span(15, "new", 5n, 11, "api"),
  span(17, "noise", 21n, 11),
])

it("aligns two traces by name path, with added, removed, slower and faster paths", () => {
  const changes = compareTraces(before, after).map(
    ({ name, depth, change }) => `${"  ".repeat(depth)}${name} ${change}`,
  )
  expect(changes).toEqual([
    "route slower",
    "  query slower",
    "  render faster",
    "  new added",
    "  noise same",
    "  gone removed",
    "    gone below removed",
  ])
})

it("sums the spans of one path, and their errors", () => {
  const query = compareTraces(before, after).find(({ name }) => name === "query")
  expect(query?.before).toEqual({ count: 2, errors: 0, duration: 20e6, self: 20e6 })
  expect(query?.after).toMatchObject({ count: 1, duration: 30e6 })
})

it("keeps equal names of two services apart", () => {
  const one = tableOf([span(1, "x", 10n), span(2, "y", 5n, 1, "a")])
  const other = tableOf([span(1, "x", 10n), span(2, "y", 5n, 1, "b")])
  expect(compareTraces(one, other).map(({ service, change }) => `${service} ${change}`)).toEqual([
    "web same",
    "b added",
    "a removed",
  ])
})

it("of a trace with itself finds no change, at any depth", () => {
  const chain = tableOf(Array.from({ length: 50_000 }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: i })))
  expect(new Set(compareTraces(chain, chain).map(({ change }) => change))).toEqual(new Set(["same"]))
})
