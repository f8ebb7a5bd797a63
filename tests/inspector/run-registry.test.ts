import { beforeAll, describe, expect, it } from "vitest"
import { RunRegistry } from "#otel/inspector/run-registry.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { ago, plus, service, span, traceId } from "./store/spans.ts"
import { storeOfFile } from "./store/stores.ts"

const store = storeOfFile()
const start = ago(10_000)
let registry: RunRegistry

beforeAll(async () => {
  registry = new RunRegistry(store())
  await store().insertSpans(
    [
      span(1, 1, { startTime: start }),
      span(2, 2, { startTime: plus(start, 5_000_000_000n) }),
      span(3, 3, { startTime: plus(start, 5_000_000_000n), resource: service("other") }),
    ],
    "runs",
  )
})

async function found(text: string): Promise<string[]> {
  const { tree: filter } = parseFilter(text, registry.lookup)
  return (await store().listTraces({ limit: 10, filter })).traces.map((trace) => trace.traceId).toSorted()
}

describe("a retained run", () => {
  it("selects the traces of its filter and its time", async () => {
    await registry.retain({ name: "before", filter: "service:shop", since: start, until: plus(start, 1_000_000_000n) })
    await registry.retain({ name: "after", filter: "", since: plus(start, 1_000_000_000n), until: undefined })
    expect(await found("run:before")).toEqual([traceId(1)])
    expect(await found("run:after")).toEqual([traceId(2), traceId(3)])
    expect(await found("run:after service:other")).toEqual([traceId(3)])
    expect(await found("run:(before after)")).toHaveLength(3)
    expect(await found("-run:after")).toEqual([traceId(1)])
  })

  it("is known to another process after a refresh", async () => {
    const other = new RunRegistry(store())
    await other.refresh()
    expect(other.lookup("before")).toEqual(registry.lookup("before"))
  })

  it("ends on request, and only once", async () => {
    const now = Number(start / 1_000_000n) + 2_000
    expect(await registry.end("after", now)).toBe(true)
    expect(await registry.end("after", now + 5_000)).toBe(true)
    expect((await registry.refresh()).find(({ name }) => name === "after")?.until).toBe(BigInt(now) * 1_000_000n)
    expect(await found("run:after")).toEqual([])
    expect(await registry.end("nobody", now)).toBe(false)
  })

  it("is unknown after its removal", async () => {
    expect(await registry.remove("after")).toBe(true)
    expect(await registry.remove("after")).toBe(false)
    expect(registry.lookup("after")).toBeUndefined()
  })
})

describe("a run is refused", () => {
  const run = { name: "x", filter: "", since: start, until: undefined }

  it.each([
    [{ ...run, name: "" }, "name"],
    [{ ...run, name: "two words" }, "name"],
    [{ ...run, name: "a".repeat(101) }, "name"],
    [{ ...run, name: "<b>" }, "name"],
    [{ ...run, filter: "duration>fast" }, "filter is invalid"],
    [{ ...run, until: start }, "ends before it begins"],
  ])("for %o", async (wrong, message) => {
    await expect(registry.retain(wrong)).rejects.toThrow(message)
  })
})
