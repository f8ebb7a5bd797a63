import { randomBytes } from "node:crypto"
import type { ClickHouseClient } from "@clickhouse/client"
import { describe, expect, test } from "vitest"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { directoryOfTest } from "./directories.ts"
import { bytes, countRows, filled } from "./upkeep/filled-store.ts"
import { itemRecord } from "./items.ts"
import { ago, span, traceId } from "./spans.ts"
import { DAY_MS, storeOfTest } from "./stores.ts"

/** Adds logs of one day that differ in their time only, in steps for which the memory of the engine is ample. */
async function fillWithLogs(client: ClickHouseClient, count: number): Promise<void> {
  const noon = BigInt(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS * 1.5) * 1_000_000n
  const step = 250_000
  for (let from = 0; from < count; from += step)
    await client.command({
      query: `INSERT INTO pagespan_logs (Timestamp)
        SELECT fromUnixTimestamp64Nano(${noon} + toInt64(number)) FROM numbers(${from}, ${step}) SETTINGS max_threads = 1`,
    })
}

describe("the store stays", () => {
  test("within its age: whole days past it are deleted from every table, which is no drop", async () => {
    const { store, client, enforce } = await filled([0, 3, 9])
    expect(await enforce({ retentionMs: 5 * DAY_MS })).toStrictEqual([])
    expect(await store.readTrace(traceId(91))).toStrictEqual([])
    expect(await store.readTrace(traceId(31))).toHaveLength(500)
    const answer = await client.query({
      query: `SELECT count(DISTINCT toDate(Timestamp)) FROM otel_traces UNION ALL
        SELECT count(DISTINCT toDate(Timestamp)) FROM pagespan_spans UNION ALL
        SELECT count(DISTINCT toDate(Timestamp)) FROM pagespan_starts`,
      format: "TabSeparated",
    })
    expect(await answer.text()).toBe("2\n2\n2\n")
  })

  test("within its size: the oldest days are deleted until the rest fits, and each is counted as a drop", async () => {
    const { store, client, enforce } = await filled([0, 1, 2])
    const before = await bytes(client)
    const drops = await enforce({ maxBytes: Math.ceil(before / 2) })
    expect(await bytes(client)).toBeLessThanOrEqual(before / 2)
    expect(drops.map(({ stage, reason, category, count }) => ({ stage, reason, category, count }))).toStrictEqual([
      { stage: "store", reason: "expired", category: "span", count: 1_000 },
      { stage: "store", reason: "expired", category: "span", count: 1_000 },
    ])
    const { traces } = await store.listTraces({ limit: 10 })
    expect(traces.map((trace) => trace.traceId).toSorted()).toStrictEqual([traceId(1), traceId(2)])
  })

  test("within its size on a single day: the older half of the day is deleted, and counted", async () => {
    const { store, client, enforce } = await filled([2])
    const before = await bytes(client)
    const drops = await enforce({ maxBytes: 1 })
    expect(drops.map(({ count }) => count)).toStrictEqual([501])
    await expect.poll(() => store.readTrace(traceId(21))).toStrictEqual([])
    await expect.poll(() => store.readTrace(traceId(22)).then((spans) => spans.length)).toBe(499)
    await expect.poll(() => bytes(client)).toBeLessThan(before)
  })

  test("within its size on a day of envelope items only: the older half is deleted, and counted without its events", async () => {
    const { store, client, enforce } = await filled([])
    const item = (index: number, type: string) =>
      itemRecord({ type, time: ago(DAY_MS * 2 + 10_000 - index), payload: randomBytes(10_000) })
    const items = Array.from({ length: 10 }, (_, index) => item(index, index % 2 === 0 ? "attachment" : "event"))
    await store.insertItems(items, "items")
    const before = await bytes(client)
    const drops = await enforce({ maxBytes: 1 })
    expect(drops).toMatchObject([{ stage: "store", reason: "expired", category: "default", count: 3 }])
    await expect.poll(() => store.readItem(items[4]!.itemId)).toBeUndefined()
    expect(await store.readItem(items[6]!.itemId)).toBeDefined()
    await expect.poll(() => bytes(client)).toBeLessThan(before)
  })

  test("within its size on a day of millions of rows, in less memory than their times take", async () => {
    const { client, enforce } = await filled([])
    const rows = 2_000_000
    await fillWithLogs(client, rows)
    const drops = await enforce({ maxBytes: 1, memory: rows * 6 })
    const half = rows / 2
    await expect.poll(() => countRows(client, "pagespan_logs")).toBeLessThanOrEqual(half + rows / 10_000)
    expect(await countRows(client, "pagespan_logs")).toBeGreaterThanOrEqual(half - rows / 10_000)
    expect(drops).toMatchObject([{ category: "log_item", count: rows - (await countRows(client, "pagespan_logs")) }])
  })

  test("unchanged when it fits", async () => {
    const { store, enforce } = await filled([0, 1])
    expect(await enforce({})).toStrictEqual([])
    expect((await store.listTraces({ limit: 10 })).traces).toHaveLength(4)
  })
})

test("an embedded store stays within its limits by itself", async () => {
  const dataDirectory = directoryOfTest()
  const first = storeOfTest({ dataDirectory })
  await first.ready()
  await first.insertSpans([span(1, 1, { startTime: ago(2 * DAY_MS) })], "old")
  await first.insertSpans([span(2, 2)], "new")
  await first.close()
  const second = storeOfTest({ dataDirectory }, { maxBytes: 1 })
  await second.ready()
  await expect
    .poll(() => second.listDrops(1).then((drops) => drops[0]?.sample))
    .toMatch(/^the .*spans of \d{8}: the store was larger than 0.00 GiB$/)
})

test("a clock that is set three days forward deletes, hides and refuses nothing that is not old", async () => {
  const dataDirectory = directoryOfTest()
  const clock = { offset: 0 }
  const dependencies = { now: () => Date.now() + clock.offset, random: Math.random }
  const store = storeOfTest({ dataDirectory }, { dependencies })
  await store.ready()
  const age = 6 * DAY_MS
  await store.insertSpans([span(1, 1, { startTime: ago(age) })], "before")
  clock.offset = 3 * DAY_MS
  await store.insertSpans([span(2, 2, { startTime: ago(age) })], "meanwhile")
  expect(await store.readTrace(traceId(1))).toHaveLength(1)
  // Starts the upkeep, for which the close waits.
  await store.retainRun({ name: "any", filter: "", since: ago(1_000), until: undefined })
  await store.close()
  const later = storeOfTest({ dataDirectory })
  await later.ready()
  expect(await later.readTrace(traceId(1))).toHaveLength(1)
  expect(await later.readTrace(traceId(2))).toHaveLength(1)
  expect(await later.listDrops(10)).toStrictEqual([])
})

test("spans past the retention are counted as expired and not stored", async () => {
  const { store } = await filled([])
  await store.insertSpans([span(1, 1, { startTime: nanoseconds(0n) }), span(1, 2)], "partly old")
  await store.insertSpans([span(1, 1, { startTime: nanoseconds(0n) }), span(1, 2)], "partly old")
  expect(await store.readTrace(traceId(1))).toHaveLength(1)
  expect(await store.listDrops(10)).toMatchObject([{ stage: "store", reason: "expired", category: "span", count: 1 }])
})

test("a batch with spans on more days than an insert may have by default is stored", async () => {
  const { store } = await filled([])
  const days = 110
  const spans = Array.from({ length: days }, (_, day) => span(1, day + 1, { startTime: ago(-day * DAY_MS) }))
  await store.insertSpans(spans, "days ahead")
  expect(await store.readTrace(traceId(1))).toHaveLength(days)
})
