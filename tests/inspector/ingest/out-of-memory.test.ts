import { randomBytes } from "node:crypto"
import type { ClickHouseClient } from "@clickhouse/client"
import { expect, onTestFinished, test } from "vitest"
import type { Receiver } from "#otel/inspector/ingest/receiver.ts"
import { openStore, type Store } from "#otel/inspector/store/store.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { secret } from "#otel/protocol/secret.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { itemRecord } from "#tests/inspector/store/items.ts"
import { clientOf, processOfFile, TOKEN } from "#tests/inspector/store/process/processes.ts"
import { ago, span, traceId } from "#tests/inspector/store/spans.ts"
import { DAY_MS } from "#tests/inspector/store/stores.ts"
import { PACKAGED_STORE_WRITER } from "#tests/support/packaged.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { post, startReceiver } from "./receiver-under-test.ts"

/** A store process of the test, so that a client can take the memory of its engine. */
const port = processOfFile()

/** Takes all memory of the engine with tables in memory, in steps that leave less than an insert of 4 MB needs. */
async function takeMemory(client: ClickHouseClient): Promise<void> {
  await client.command({ query: "CREATE TABLE hog (Text String) ENGINE = Memory" })
  for (const megabytes of [64, 16, 4])
    for (let code = "none"; code === "none";)
      code = await client
        .command({
          query: `INSERT INTO hog SELECT repeat('x', 1000000) FROM numbers(${megabytes}) SETTINGS max_threads = 1`,
        })
        .then(
          () => "none",
          (error: { code: string }) => error.code,
        )
}

async function openAt(url: string): Promise<Store> {
  const store = openStore({ url: secret(url) }, { retentionMs: DAY_MS, writerFile: PACKAGED_STORE_WRITER })
  onTestFinished(() => store.close())
  await store.ready()
  return store
}

const idOf = (number: number) => (0xa77ac000 + number).toString(16).padStart(32, "0")

/** Sends an event with an attachment of a megabyte. */
async function sendAttachment(receiver: Receiver, number: number): Promise<number> {
  const text = randomBytes(750_000).toString("base64")
  const body = envelope(
    { event_id: idOf(number) },
    item("event", errorEvent({ event_id: idOf(number), timestamp: Date.now() / 1_000 })),
    item("attachment", text, { filename: `${number}.txt` }),
  )
  return (await receiver.envelope(post(body))).status
}

test("attachments that arrive while the engine is out of memory (code 241) wait, this is shown, and each is stored once", async () => {
  const client = clientOf(port())
  onTestFinished(() => client.close())
  const store = await openAt(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`)
  const { receiver } = await startReceiver({ sink: store, storeState: () => store.state })
  await takeMemory(client)

  const statuses = new Set<number>()
  for (let number = 1; number <= 40; number += 1) statuses.add(await sendAttachment(receiver, number))
  expect(statuses).toStrictEqual(new Set([200]))
  await waitFor("the reason", () => receiver.insertProblem() !== undefined)
  expect(receiver.insertProblem()).toBe("ClickHouse is unavailable: it is out of memory (code 241)")
  expect([store.state, receiver.report().status]).toStrictEqual(["ready", "down"])

  await client.command({ query: "DROP TABLE hog SYNC" })
  await waitFor("all inserts", () => receiver.report().queue.depth === 0)
  expect(receiver.insertProblem()).toBeUndefined()
  expect(receiver.report()).toMatchObject({ status: "ok", dropped: {} })
  for (let number = 1; number <= 40; number += 1) {
    const items = await store.readItemsOfEvent(idOf(number))
    expect(items.filter(({ type }) => type === "attachment")).toMatchObject([{ fileName: `${number}.txt` }])
  }
})

test("an attachment that always exceeds the engine's memory is dropped and counted, and the other records are stored", async () => {
  const client = clientOf(port())
  onTestFinished(() => client.close())
  const store = await openAt(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`)
  await takeMemory(client)
  onTestFinished(async () => void (await client.command({ query: "DROP TABLE IF EXISTS hog SYNC" })))
  const eventId = idOf(100)
  const items = ["small", "large", "last"].map((name, index) =>
    itemRecord({
      itemId: idOf(101 + index),
      eventId,
      type: "attachment",
      fileName: name,
      payload: new Uint8Array(randomBytes(name === "large" ? 5_000_000 : 10)),
    }),
  )
  const batch = encodeBatch(recordBatch({ spans: [span(0xa77ac, 1), span(0xa77ac, 2)], items }))
  const insert = (outOfMemory: number) => store.insertRecords([batch], "too large", undefined, outOfMemory)

  for (const outOfMemory of [0, 3, 29]) await expect(insert(outOfMemory)).rejects.toThrow(/out of memory/)
  await insert(30)
  // A process that stops before it has noted that the batch is stored inserts it again.
  await insert(30)
  const stored = await store.readItemsOfEvent(eventId)
  expect(stored.map(({ fileName }) => fileName).toSorted()).toStrictEqual(["last", "small"])
  expect(await store.readTrace(traceId(0xa77ac))).toHaveLength(2)
  const { drops } = await store.pageDrops({ limit: 10, from: ago(60_000), until: ago(-60_000) })
  expect(drops).toMatchObject([{ stage: "store", reason: "too_large", category: "attachment", count: 1 }])
})
