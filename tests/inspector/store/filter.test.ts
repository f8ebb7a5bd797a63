import { beforeAll, describe, expect, it } from "vitest"
import { TRACE_ORDERS } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { CASES, TRACES } from "../search/cases.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()
const LETTERS = new Map(Object.entries(TRACES).map(([letter, [first]]) => [first?.traceId, letter]))

beforeAll(async () => {
  for (const [letter, spans] of Object.entries(TRACES)) await store().insertSpans(spans, letter)
})

describe("a filter on the store", () => {
  it.each(CASES)("%s matches %s", async (text, letters) => {
    const { tree: filter } = parseFilter(text)
    const { traces } = await store().listTraces({ limit: 10, filter })
    expect(
      traces
        .map(({ traceId }) => LETTERS.get(traceId))
        .toSorted()
        .join(""),
    ).toBe(letters)
  })

  it("returns the same traces in every order, page by page", async () => {
    const { tree: filter } = parseFilter("service:(web OR Worker-1)")
    for (const by of TRACE_ORDERS)
      for (const isAscending of [false, true]) {
        const order = { by, isAscending }
        const { traces: all } = await store().listTraces({ limit: 10, filter, order })
        expect(all).toHaveLength(3)
        let after: string | undefined
        for (const trace of all) {
          const { traces, next } = await store().listTraces({ limit: 1, filter, order, after })
          expect(traces).toStrictEqual([trace])
          after = next
        }
        expect(after).toBeUndefined()
      }
  })

  it("orders by the values that rows show", async () => {
    const letters = async (by: (typeof TRACE_ORDERS)[number], isAscending: boolean) => {
      const { traces } = await store().listTraces({ limit: 10, order: { by, isAscending } })
      return traces.map(({ traceId }) => LETTERS.get(traceId)).join("")
    }
    expect(await letters("time", false)).toBe("cba")
    expect(await letters("time", true)).toBe("abc")
    expect(await letters("duration", false)).toBe("abc")
    expect(await letters("spans", true)).toBe("cba")
    expect((await letters("errors", false)).charAt(0)).toBe("a")
  })

  it("ends the window at `until`", async () => {
    const [b] = TRACES["b"] ?? []
    const { traces } = await store().listTraces({ limit: 10, until: b?.startTime })
    expect(traces.map(({ traceId }) => LETTERS.get(traceId)).join("")).toBe("a")
    const sorted = await store().listTraces({
      limit: 10,
      until: b?.startTime,
      order: { by: "spans", isAscending: true },
    })
    expect(sorted.traces).toStrictEqual(traces)
  })
})
