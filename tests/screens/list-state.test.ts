import { describe, expect, it } from "vitest"
import { listOf, mergeTrace, released, WAITING_LIMIT, withDeltas, withReading } from "#app/traces/list-state.ts"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"

const EPOCH = 1_767_225_600_000_000_001n

function trace(traceId: string, startsAt: number, more: Partial<TraceSummaryJson> = {}): TraceSummaryJson {
  return {
    traceId,
    name: `name ${traceId}`,
    provisional: false,
    services: ["web"],
    startTimeUnixNano: String(EPOCH + BigInt(startsAt)),
    durationNano: "100",
    spanCount: 1,
    errorCount: 0,
    sources: ["otlp"],
    ...more,
  }
}

const ANY = { service: undefined }
const ids = (rows: readonly TraceSummaryJson[]) => rows.map(({ traceId }) => traceId)

describe("the live list while nobody reads it", () => {
  it("puts new traces in by their start, the newest first", () => {
    const list = withDeltas(listOf([trace("b", 20), trace("a", 10)]), [trace("d", 40), trace("c", 30)], ANY, false)
    expect(ids(list.rows)).toEqual(["d", "c", "b", "a"])
    expect(list.waiting.size).toBe(0)
  })

  it("adds what belongs to a trace on screen to its row", () => {
    const more = trace("a", 60, {
      durationNano: "100",
      spanCount: 4,
      errorCount: 2,
      services: ["api"],
      sources: ["sentry"],
    })
    const [row] = withDeltas(listOf([trace("a", 10)]), [more], ANY, false).rows
    expect(row).toMatchObject({
      name: "name a",
      durationNano: "150",
      spanCount: 5,
      errorCount: 2,
      services: ["web", "api"],
      sources: ["otlp", "sentry"],
    })
  })

  it("shows at most 300 rows, the newest", () => {
    const flood = Array.from({ length: 900 }, (_, i) => trace(`t${i}`, i))
    const list = withDeltas(listOf([]), flood, ANY, false)
    expect(list.rows).toHaveLength(300)
    expect(list.rows[0]?.traceId).toBe("t899")
  })
})

describe("the live list while somebody reads it", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])

  it("moves no row, and keeps what is new aside", () => {
    const list = withDeltas(shown, [trace("c", 30)], ANY, true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect([...list.waiting.keys()]).toEqual(["c"])
  })

  it("still counts spans of the rows on screen, in their place", () => {
    const list = withDeltas(shown, [trace("a", 99, { spanCount: 7 })], ANY, true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect(list.rows[1]?.spanCount).toBe(8)
    expect(list.waiting.size).toBe(0)
  })

  it("counts a new trace once, however many batches it comes in", () => {
    const once = withDeltas(shown, [trace("c", 30)], ANY, true)
    const twice = withDeltas(once, [trace("c", 31, { spanCount: 2 })], ANY, true)
    expect(twice.waiting.size).toBe(1)
    expect(twice.waiting.get("c")?.spanCount).toBe(3)
  })

  it("holds the server's reading back until it is left, and then takes its numbers", () => {
    const held = withReading(withDeltas(shown, [trace("c", 30)], ANY, true), [trace("c", 30, { spanCount: 50 })], true)
    expect(ids(held.rows)).toEqual(["b", "a"])
    const list = released(held)
    expect(ids(list.rows)).toEqual(["c"])
    expect(list.rows[0]?.spanCount).toBe(50)
  })

  it("keeps a bounded number aside", () => {
    const flood = Array.from({ length: WAITING_LIMIT * 3 }, (_, i) => trace(`t${i}`, i))
    expect(withDeltas(shown, flood, ANY, true).waiting.size).toBe(WAITING_LIMIT)
  })

  it("released with nothing aside is the same list, so that nothing is drawn again", () => {
    expect(released(shown)).toBe(shown)
  })
})

it("a list of one service takes no trace of others, but what belongs to a row on screen", () => {
  const filter = { service: "web" }
  const list = withDeltas(
    listOf([trace("a", 10)]),
    [trace("x", 20, { services: ["mailer"] }), trace("a", 11, { services: ["mailer"] })],
    filter,
    false,
  )
  expect(ids(list.rows)).toEqual(["a"])
  expect(list.rows[0]?.services).toEqual(["web", "mailer"])
})

it("two batches make the same trace in either order, named by the earlier and exact to the nanosecond", () => {
  const child = trace("a", 3, { name: "child", services: ["api"], durationNano: "9007199254740993" })
  const root = trace("a", 0, { name: "root", services: ["web"], durationNano: "1" })
  for (const merged of [mergeTrace(child, root), mergeTrace(root, child)]) {
    expect(merged).toMatchObject({ name: "root", services: ["web", "api"], durationNano: "9007199254740996" })
  }
})

it("a root names its trace whatever came before it, and keeps it", () => {
  const early = trace("a", 0, { name: "early child", provisional: true })
  const root = trace("a", 5, { name: "root" })
  for (const merged of [mergeTrace(early, root), mergeTrace(root, early)])
    expect(merged).toMatchObject({ name: "root", provisional: false, startTimeUnixNano: String(EPOCH) })
})
