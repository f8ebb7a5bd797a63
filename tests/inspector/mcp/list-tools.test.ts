import { expect, test } from "vitest"
import { findErrors, findTraces, getDrops } from "#otel/inspector/mcp/list-tools.ts"
import { queriesOf } from "./queries-of.ts"

const QUERIES = queriesOf("x")
const times = <T>(count: number, list: readonly T[]) => Array.from({ length: count }, () => list[0]!)

test("find_traces says that its count is a limit, and no more than that of fewer traces", async () => {
  const traces = await QUERIES.traces("", undefined)
  const answer = (count: number) =>
    findTraces({ ...QUERIES, traces: () => Promise.resolve(times(count, traces)) }, { filter: "", limit: 20 })
  const many = await answer(1_000)
  expect(many.text).toMatch(/^1000 or more traces, the newest 20 of them:\n/)
  expect(many.structured).toMatchObject({ count: 1_000, orMore: true })
  const few = await answer(999)
  expect(few.text).toMatch(/^999 traces, the newest 20 of them:\n/)
  expect(few.structured).toMatchObject({ count: 999, orMore: false })
})

test("find_errors says that there may be more issues than it was asked for", async () => {
  const issues = await QUERIES.errors({})
  const answer = async (limit: number) =>
    (await findErrors({ ...QUERIES, errors: () => Promise.resolve(times(2, issues)) }, { limit })).text
  expect(await answer(2)).toMatch(/^2 issues \(there may be more\):\n/)
  expect(await answer(3)).toMatch(/^2 issues:\n/)
})

test("get_drops says that it sums the newest records alone", async () => {
  const drops = await QUERIES.drops(1)
  const answer = async (count: number) =>
    (await getDrops({ ...QUERIES, drops: () => Promise.resolve(times(count, drops)) })).text
  expect(await answer(1_000)).toMatch(/^Dropped, by the newest 1000 records:\n1000 × /)
  expect(await answer(999)).toMatch(/^Dropped:\n999 × /)
})
