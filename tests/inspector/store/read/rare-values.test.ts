import { expect, test } from "vitest"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { ago, plus, service, span, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()

test("a rare value is listed only of traces in which the service of the filter took part", async () => {
  const start = ago(3_600_000)
  const traces = (from: number, count: number, name: string, value: string) =>
    Array.from({ length: count }, (_, index) =>
      span(from + index, from + index, {
        startTime: plus(start, BigInt(from + index) * 1_000_000n),
        resource: service(name),
        attributes: new Map([["needle", value]]),
      }),
    )
  // The newest traces of the service do not have the value, so that the list looks for the few that have it.
  const spans = [...traces(1, 1, "web", "yes"), ...traces(2, 1, "api", "yes"), ...traces(3, 9_000, "web", "no")]
  await store().insertSpans(spans, "rare")
  const listed = async (filter: string) => {
    const { traces: found } = await store().listTraces({ limit: 50, filter: parseFilter(filter).tree })
    return found.map((trace) => trace.traceId)
  }
  expect(await listed("needle:yes")).toEqual([traceId(2), traceId(1)])
  expect(await listed("service:web needle:yes")).toEqual([traceId(1)])
  expect(await listed("{-service:api} needle:yes")).toEqual([traceId(1)])
})
