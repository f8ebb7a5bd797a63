import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { listPlace } from "#app/_filter/list-address.ts"
import { readOverview } from "#app/traces/_overview/read-overview.ts"
import { parseTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"

/** Queries of the overview, on a store that responds when the test says so. */
function slowStore() {
  const questions: string[] = []
  let answerNext: ((fails: boolean) => void) | undefined
  const queries = {
    cached(key: string) {
      questions.push(key.split(" ", 1)[0]!)
      return new Promise((resolve, reject) => {
        answerNext = (fails) =>
          fails ? reject(new Error("it took too long")) : resolve({ overview: { services: [] }, route: [], kind: [] })
      })
    },
  } as unknown as QueryService
  return { questions, queries, answer: (fails = false) => answerNext?.(fails) }
}

function overviewOf(queries: QueryService, list: Promise<unknown> = Promise.resolve()) {
  const own = { services: [], isHidden: false }
  const place = listPlace(parseTraceListQuery(new URLSearchParams(), 0, () => undefined))
  return readOverview(queries, list, {}, place, own, 0)
}

test("queries run one after the other, and continue after a failure", async () => {
  const { questions, queries, answer } = slowStore()
  const { facets } = overviewOf(queries)
  await setImmediate()
  expect(questions).toStrictEqual(["overview"])
  answer(true)
  await setImmediate()
  expect(questions).toStrictEqual(["overview", "facets"])
  answer()
  await setImmediate()
  expect(questions).toStrictEqual(["overview", "facets", "missing"])
  answer(true)
  const nothing = { service: undefined, route: [], kind: [], missing: undefined }
  expect(await Promise.all(Object.values(facets))).toStrictEqual(Object.values(nothing))
})

test("no query starts before the list has loaded", async () => {
  const { questions, queries, answer } = slowStore()
  let listIsRead: () => void = () => undefined
  const { counts } = overviewOf(queries, new Promise<void>((resolve) => (listIsRead = resolve)))
  await setImmediate()
  expect(questions).toStrictEqual([])
  listIsRead()
  await setImmediate()
  expect(questions).toStrictEqual(["overview"])
  answer()
  await counts
})

test("the histogram of thousands of moments reaches the page as a few bars", async () => {
  const moments = Array.from({ length: 5_000 }, (_, index) => ({ atMs: index * 60_000, traces: 2, failed: 1 }))
  const queries = {
    cached: (key: string, query: (shared: object) => unknown) =>
      key.startsWith("overview")
        ? query({ traceOverview: async () => ({ traces: 10_000, failed: 5_000, moments, services: [] }) })
        : Promise.reject(new Error("not asked for")),
  } as unknown as QueryService
  const counts = await overviewOf(queries).counts
  expect(counts?.bars.reduce((sum, { traces }) => sum + traces, 0)).toBe(10_000)
  expect(JSON.stringify(counts).length).toBeLessThan(6_000)
})
