import { randomBytes } from "node:crypto"
import { createServer, request as requestTo } from "node:http"
import type { AddressInfo } from "node:net"
import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client"
import { expect, onTestFinished, test } from "vitest"
import type { RecordSink } from "#otel/inspector/ingest/batcher.ts"
import type { Receiver } from "#otel/inspector/ingest/receiver.ts"
import { StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { openStore, type Store } from "#otel/inspector/store/store.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { secret } from "#otel/protocol/secret.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { itemRecord } from "#tests/inspector/store/items.ts"
import { clientOf, processOfFile, TOKEN } from "#tests/inspector/store/process/processes.ts"
import { ago, span, spanId, traceId } from "#tests/inspector/store/spans.ts"
import { DAY_MS } from "#tests/inspector/store/stores.ts"
import { PACKAGED_STORE_WRITER } from "#tests/support/packaged.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { MemorySink } from "./memory-sink.ts"
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

/** Bytes of an insert beyond which the engine below answers as one without memory does. */
const ENOUGH = 1_000_000

/** The engine of the file behind a proxy that answers each larger insert as an engine whose memory it exceeds. */
async function smallEngine(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      if (body.length > ENOUGH) {
        response.writeHead(500, { "x-clickhouse-exception-code": "241" })
        return response.end("Code: 241. DB::Exception: (total) memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)")
      }
      const { method, url: path, headers } = request
      const onward = requestTo({ host: "127.0.0.1", port: port(), method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      onward.on("error", () => response.destroy())
      return onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return `http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${(server.address() as AddressInfo).port}`
}

test("an attachment that always exceeds the engine's memory is dropped and counted, and the other records are stored", async () => {
  const store = await openAt(await smallEngine())
  const eventId = idOf(100)
  const attachment = (fileName: string, bytes: number, number: number) =>
    itemRecord({ itemId: idOf(number), eventId, type: "attachment", fileName, payload: randomBytes(bytes) })
  const items = [
    // Each has room, and two of them have none.
    ...[101, 102, 103].map((number) => attachment(`${number}`, 500_000, number)),
    attachment("large", 2_000_000, 104),
  ]
  const spans = [
    span(0xa77ac, 1),
    span(0xa77ac, 2, { attributes: new Map([["text", randomBytes(1_500_000).toString("base64")]]) }),
  ]
  const batch = encodeBatch(recordBatch({ spans, items }))
  const insert = (outOfMemory: number) => store.insertRecords([batch], "too large", undefined, outOfMemory)

  for (const outOfMemory of [0, 3, 29]) await expect(insert(outOfMemory)).rejects.toThrow(/out of memory/)
  await insert(30)
  // A process that stops before it has noted that the batch is stored inserts it again.
  await insert(30)
  const stored = await store.readItemsOfEvent(eventId)
  expect(stored.map(({ fileName }) => fileName).toSorted()).toStrictEqual(["101", "102", "103"])
  expect(await store.readTrace(traceId(0xa77ac))).toMatchObject([{ spanId: spanId(1) }])
  const { drops } = await store.pageDrops({ limit: 10, from: ago(60_000), until: ago(-60_000) })
  const counted = drops.map(({ stage, reason, category, count }) => `${stage} ${reason} ${category} ${count}`)
  expect(counted.toSorted()).toStrictEqual(["store too_large attachment 1", "store too_large span 1"])
})

test("a batch is offered with how often the engine was out of memory for it, and others begin anew", async () => {
  const memory = new MemorySink()
  const offered: (number | undefined)[] = []
  const sink: RecordSink = {
    insertDrops: (drops) => memory.insertDrops(drops),
    async insertRecords(batches, batchId, without, outOfMemory) {
      offered.push(outOfMemory)
      const cause = new ClickHouseError({ message: "memory limit exceeded", code: "241" })
      if (offered.length <= 3) throw new StoreUnavailable("out of memory", { cause })
      await memory.insertRecords(batches, batchId, without)
    },
  }
  const { receiver } = await startReceiver({ sink, storeState: () => "ready", batchSpans: 1 })
  for (let number = 0; number < 2; number += 1) await receiver.ingest({ spans: [span(0xa77ad, number + 1)] })
  await memory.until(({ spans }) => spans.length === 2)
  expect(offered).toStrictEqual([0, 1, 2, 3, 0])
})
