import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { encodeJson, span } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { post, startReceiver } from "./receiver-under-test.ts"
import { spanRecord, spanRecords } from "./span-records.ts"

function request(count: number) {
  const spans = Array.from({ length: count }, (_, index) =>
    span({ spanId: (index + 1).toString(16).padStart(16, "0") }),
  )
  return encodeJson({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

describe("while the store is down", () => {
  test("spans are acknowledged, wait, and are stored once later, under one batch id", async () => {
    const { receiver, sink } = await startReceiver()
    sink.isDown = true
    expect((await receiver.traces(post(request(3)))).status).toBe(200)
    await sink.until(({ offeredBatchIds }) => offeredBatchIds.length >= 2)
    sink.isDown = false
    await sink.until(({ spans }) => spans.length === 3)
    expect(new Set(sink.offeredBatchIds).size).toBe(1)
    expect(sink.batches).toHaveLength(1)
    expect(receiver.drops.totals()).toStrictEqual({})
  })

  test("spans beyond the limit are answered 503 with a time to retry, counted, and accepted later", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 10 })
    sink.isDown = true
    expect((await receiver.traces(post(request(6)))).status).toBe(200)
    const refused = await receiver.traces(post(request(5)))
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await refused.json()).toStrictEqual({ code: 14, message: expect.any(String) })
    expect((await receiver.traces(post(request(4)))).status).toBe(200)
    expect(receiver.drops.totals()).toStrictEqual({ store_unavailable: 5 })
    sink.isDown = false
    await sink.until(({ spans }) => spans.length === 10)
    expect((await receiver.traces(post(request(5)))).status).toBe(200)
  })

  test("a full journal is answered 503 as well", async () => {
    const { receiver, sink } = await startReceiver({ journalBytes: 1_500 })
    sink.isDown = true
    const statuses: number[] = []
    for (let index = 0; index < 10; index += 1) statuses.push((await receiver.traces(post(request(2)))).status)
    expect(new Set(statuses)).toStrictEqual(new Set([200, 503]))
    const accepted = statuses.filter((status) => status === 200).length * 2
    sink.isDown = false
    await sink.until(({ spans }) => spans.length === accepted)
    expect(receiver.drops.totals()).toStrictEqual({ store_unavailable: 20 - accepted })
  })

  test("a batch that has no room in an empty journal is refused for good, and counted", async () => {
    const { receiver } = await startReceiver({ journalBytes: 2_000 })
    const refused = await receiver.traces(post(request(100)))
    expect([refused.status, refused.headers.get("retry-after")]).toStrictEqual([413, null])
    expect((await receiver.traces(post(request(1)))).status).toBe(200)
    expect(receiver.drops.totals()).toStrictEqual({ too_large: 100 })
  })

  test("a clean stop ends in time and leaves waiting records for the next start", async () => {
    const first = await startReceiver({ drainLimitMs: 20 })
    first.sink.isDown = true
    await first.receiver.traces(post(request(7)))
    await first.receiver.close()
    expect(first.sink.spans).toStrictEqual([])
    const second = await startReceiver({ journalDirectory: first.journalDirectory })
    await second.sink.until(({ spans }) => spans.length === 7)
    await second.receiver.close()
    const third = await startReceiver({ journalDirectory: first.journalDirectory })
    await third.receiver.close()
    expect(third.sink.offeredBatchIds).toStrictEqual([])
  })

  test("health reports it, with the number of waiting records and the age of the oldest", async () => {
    let now = 1_000_000
    const { receiver, sink } = await startReceiver({ clock: () => now, batchMs: 0 })
    const ask = () => receiver.health(new Request("http://localhost/health", { headers: { host: "localhost" } }))
    expect(ask().status).toBe(200)
    expect(await ask().json()).toStrictEqual({
      status: "ok",
      queue: { depth: 0, oldestMs: 0 },
      dropped: {},
      uncaught: {},
    })
    sink.isDown = true
    await receiver.ingest({ spans: spanRecords(3) })
    now += 1_500
    expect(ask().status).toBe(503)
    expect(await ask().json()).toStrictEqual({
      status: "down",
      queue: { depth: 3, oldestMs: 1_500 },
      dropped: {},
      uncaught: {},
    })
  })
})

test("a batch that the store refuses permanently is dropped and counted, and the next one is stored", async () => {
  const { receiver, sink } = await startReceiver({ batchSpans: 1 })
  sink.refuses = (spans) => spans.some(({ name }) => name === "poison")
  await receiver.ingest({ spans: [spanRecord(1, { name: "poison" })] })
  await receiver.ingest({ spans: [spanRecord(2)] })
  await sink.until(({ spans }) => spans.length === 1)
  expect(sink.spans[0]!.name).toBe("span 2")
  expect(sink.offeredBatchIds).toHaveLength(4)
  await receiver.close()
  expect(sink.drops).toMatchObject([{ stage: "store", reason: "invalid", category: "span", count: 1 }])
})

test("a batch on which the store fails unexpectedly is dropped and counted, and the next one is stored", async () => {
  const { receiver, sink } = await startReceiver({ batchSpans: 1 })
  const take = sink.insertRecords.bind(sink)
  let failures = 0
  sink.insertRecords = (...records) => (++failures <= 3 ? Promise.reject(new Error("out of memory")) : take(...records))
  await receiver.ingest({ spans: spanRecords(2) })
  await receiver.ingest({ spans: [spanRecord(3)] })
  await sink.until(({ spans }) => spans.length === 1)
  expect(sink.spans[0]!.name).toBe("span 3")
  await receiver.close()
  expect(sink.drops).toMatchObject([{ stage: "store", reason: "invalid", category: "unknown", count: 2 }])
})

test("the store gets batches of the size that costs it least", async () => {
  const { receiver, sink } = await startReceiver({ batchSpans: 100, batchMs: 60_000 })
  for (let index = 0; index < 25; index += 1) await receiver.ingest({ spans: spanRecords(10, index * 10) })
  await sink.until(({ spans }) => spans.length >= 200)
  expect(sink.batches.map(({ spans }) => spans.length)).toStrictEqual([100, 100])
  await receiver.close()
  expect(sink.batches.map(({ spans }) => spans.length)).toStrictEqual([100, 100, 50])
  expect(sink.spans.map(({ name }) => name)).toStrictEqual(spanRecords(250).map(({ name }) => name))
})

test("concurrent batches reach the store in the order of the journal, on which its marks rely", async () => {
  const { receiver, sink } = await startReceiver({ batchSpans: 1_000 })
  const ingests = Array.from({ length: 200 }, (_, number) => receiver.ingest({ spans: [spanRecord(number)] }))
  await Promise.all(ingests)
  await receiver.close()
  expect(sink.spans.map(({ name }) => name)).toStrictEqual(spanRecords(200).map(({ name }) => name))
})

test("batches beyond the memory limit wait in the journal only, and are stored in order and complete", async () => {
  const { receiver, sink } = await startReceiver({ heldSpanLimit: 25, batchSpans: 40 })
  sink.isDown = true
  for (let index = 0; index < 30; index += 1) await receiver.ingest({ spans: spanRecords(10, index * 10) })
  expect(receiver.report().queue.depth).toBe(300)
  sink.isDown = false
  await receiver.close()
  expect(sink.spans).toStrictEqual(spanRecords(300))
  expect(receiver.drops.totals()).toStrictEqual({})
})

test("a batch that waits in the journal only is counted if its file is gone", async () => {
  const { receiver, sink, journalDirectory } = await startReceiver({ heldSpanLimit: 2, batchSpans: 1 })
  sink.isDown = true
  await receiver.ingest({ spans: spanRecords(2) })
  await receiver.ingest({ spans: spanRecords(3, 10) })
  for (const name of await readdir(journalDirectory)) await rm(join(journalDirectory, name))
  sink.isDown = false
  await sink.until(({ spans }) => spans.length === 2)
  await waitFor("the drop", () => receiver.drops.totals().malformed === 3)
})

test("a batch that waits in the journal only is counted if its bytes are damaged", async () => {
  const { receiver, sink, journalDirectory } = await startReceiver({ heldSpanLimit: 2, batchSpans: 1 })
  sink.isDown = true
  await receiver.ingest({ spans: spanRecords(2) })
  await receiver.ingest({ spans: [spanRecord(3, { name: "as it was" })] })
  for (const name of (await readdir(journalDirectory)).filter((each) => each.endsWith(".journal"))) {
    const path = join(journalDirectory, name)
    const bytes = await readFile(path)
    const at = bytes.indexOf("as it was")
    if (at !== -1) await writeFile(path, bytes.fill("as it is.", at, at + 9))
  }
  await receiver.ingest({ spans: [spanRecord(4)] })
  sink.isDown = false
  await sink.until(({ spans }) => spans.length === 3)
  expect(sink.spans.map(({ name }) => name)).toStrictEqual(["span 0", "span 1", "span 4"])
  await waitFor("the drop", () => receiver.drops.totals().malformed === 1)
})

test("a request with more spans than the queue can hold is refused permanently", async () => {
  const { receiver } = await startReceiver({ waitingSpanLimit: 10 })
  const response = await receiver.traces(post(request(11)))
  expect(response.status).toBe(413)
  expect(response.headers.get("retry-after")).toBeNull()
  expect(receiver.drops.totals()).toStrictEqual({ limit_spans: 11 })
})

test("after a stop every request is refused with a time to retry", async () => {
  const { receiver } = await startReceiver()
  await receiver.close()
  expect(await receiver.ingest({ spans: spanRecords(1) })).toStrictEqual({
    outcome: "refused",
    reason: "store_unavailable",
    retryAfterSeconds: 5,
  })
})

test("errors and logs that arrive while the store is down are stored once when it is back", async () => {
  const { receiver, sink } = await startReceiver()
  sink.isDown = true
  const body = envelope(
    {},
    item("event", errorEvent()),
    item("transaction", transaction()),
    item("log", { items: [{ timestamp: 1_795_197_401.5, body: "hello", level: "info" }] }),
  )
  expect((await receiver.envelope(post(body))).status).toBe(200)
  await sink.until(({ offeredBatchIds }) => offeredBatchIds.length > 0)
  sink.isDown = false
  await sink.until(({ logs }) => logs.length > 0)
  expect([sink.spans.length, sink.errors.length, sink.logs.length]).toStrictEqual([2, 1, 1])
  expect(receiver.drops.totals()).toStrictEqual({})
})

test("errors that the store refuses permanently are counted, and the spans and logs of their batch are stored", async () => {
  const { receiver, sink } = await startReceiver()
  sink.refusesErrors = true
  const log = { timestamp: 1_795_197_401.5, body: "hello", level: "info" }
  await receiver.envelope(
    post(envelope({}, item("event", errorEvent()), item("transaction", transaction()), item("log", { items: [log] }))),
  )
  await sink.until(({ logs }) => logs.length > 0)
  expect([sink.spans.length, sink.logs.length]).toStrictEqual([2, 1])
  await receiver.close()
  expect(sink.drops).toMatchObject([{ stage: "store", reason: "invalid", category: "error", count: 1 }])
})
