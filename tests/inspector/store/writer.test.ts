import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { RecordsRefused, StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { Writer } from "#otel/inspector/store/writer/writer.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "./directories.ts"
import { error, log } from "./events.ts"
import { clientOf, processOfFile, TOKEN } from "./process/processes.ts"
import { span, traceId } from "./spans.ts"
import { storeOfTest } from "./stores.ts"

const port = processOfFile()

test("records that ClickHouse rejects are named by category, so that the others of the batch can be stored without them", async () => {
  const store = storeOfTest({ url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`) })
  await store.ready()
  const client = clientOf(port())
  onTestFinished(() => client.close())
  await client.command({ query: "DROP TABLE pagespan_errors" })
  const batch = encodeBatch(recordBatch({ spans: [span(1, 1)], errors: [error(1, 1), error(1, 2)], logs: [log(1)] }))
  const refused = await store.insertRecords([batch], "batch").catch((reason: unknown) => reason)
  expect(refused).toBeInstanceOf(RecordsRefused)
  expect(refused).toMatchObject({ category: "error", count: 2 })
  await store.insertRecords([batch], "batch", new Set(["error"]))
  expect(await store.readTrace(traceId(1))).toHaveLength(1)
  const logs = await client.query({ query: "SELECT count() AS count FROM pagespan_logs", format: "JSONEachRow" })
  expect(await logs.json()).toStrictEqual([{ count: 1 }])
  expect(store.state).toBe("ready")
})

test("large batches one after the other are stored as they came", async () => {
  const store = storeOfTest({ url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`) })
  await store.ready()
  const client = clientOf(port())
  onTestFinished(() => client.close())
  const batchOf = (turn: number, names: number) =>
    Array.from({ length: 2_500 }, (_, index) =>
      span(10 + turn, index + 1, {
        name: `turn ${turn} name ${index % names}`,
        attributes: new Map([[`key ${turn}`, `value ${index}`]]),
      }),
    )
  const sizes = [50, 400, 3]
  for (const [turn, names] of sizes.entries())
    await store.insertRecords([encodeBatch(recordBatch({ spans: batchOf(turn, names) }))], `turn ${turn}`)
  const stored = await client.query({
    query: `SELECT SpanName AS name, groupArray(SpanAttributes) AS bags FROM otel_traces
      WHERE SpanName LIKE 'turn %' GROUP BY name`,
    format: "JSONEachRow",
  })
  const bagsOf = new Map((await stored.json<{ name: string; bags: object[] }>()).map(({ name, bags }) => [name, bags]))
  expect(bagsOf.size).toBe(50 + 400 + 3)
  for (const [turn, names] of sizes.entries())
    for (let name = 0; name < names; name += 1) {
      const expected = Array.from({ length: 2_500 }, (_, index) => index).filter((index) => index % names === name)
      const bags = expected.map((index) => ({ [`key ${turn}`]: `value ${index}` }))
      expect(new Set(bagsOf.get(`turn ${turn} name ${name}`)?.map(text))).toStrictEqual(new Set(bags.map(text)))
    }
})

const text = (value: object) => JSON.stringify(value)

const ENDPOINT = { url: secret("http://127.0.0.1:1"), embedded: true }
const ORDER = {
  batches: [encodeBatch(recordBatch({ spans: [span(1, 1)] }))],
  batchId: "batch",
  without: new Set<never>(),
  outOfMemory: 0,
  retention: { oldest: nanoseconds(0n), now: nanoseconds(0n) },
}

test("a thread that ends rejects its inserts, and another thread writes the next batch", async () => {
  const writer = new Writer(
    threadOfTest(`
      import { parentPort } from "node:worker_threads"
      parentPort.on("message", ({ id, bytes }) => {
        if (id === 1) throw new Error("out of memory")
        parentPort.postMessage({ id, failure: undefined, bytes }, [bytes.buffer])
      })
    `),
  )
  onTestFinished(() => writer.close())
  const first = await writer.write(ENDPOINT, ORDER).catch((reason: unknown) => reason)
  expect(first).toStrictEqual(new Error("The writer thread ended: out of memory"))
  await expect(writer.write(ENDPOINT, ORDER)).resolves.toBeUndefined()
})

test("orders of any size arrive whole, also in the memory of an earlier one", async () => {
  const writer = new Writer(
    threadOfTest(`
      import { createHash } from "node:crypto"
      import { parentPort } from "node:worker_threads"
      parentPort.on("message", ({ id, bytes, ends }) => {
        const size = bytes.buffer.byteLength
        const digest = createHash("sha256").update(bytes.subarray(0, ends.at(-1))).digest("hex")
        const message = JSON.stringify({ ends, digest, isRoomy: size > 4 * ends.at(-1) })
        parentPort.postMessage({ id, failure: { kind: "other", message }, bytes }, [bytes.buffer])
      })
    `),
  )
  onTestFinished(() => writer.close())
  for (const size of [1_000, 900, 1_100, 300, 70, 5_000, 1, 2_000]) {
    const batches = [Buffer.alloc(size, size), Buffer.alloc(size, size + 1)]
    const received = await writer.write(ENDPOINT, { ...ORDER, batches }).catch((reason: unknown) => String(reason))
    const digest = createHash("sha256").update(Buffer.concat(batches)).digest("hex")
    expect(received).toBe(`Error: ${JSON.stringify({ ends: [size, 2 * size], digest, isRoomy: false })}`)
  }
})

test("a closed writer rejects running and later inserts as unavailable", async () => {
  const writer = new Writer(threadOfTest(`import { parentPort } from "node:worker_threads"; parentPort.ref()`))
  const onItsWay = writer.write(ENDPOINT, ORDER).catch((reason: unknown) => reason)
  await writer.close()
  expect(await onItsWay).toBeInstanceOf(StoreUnavailable)
  await expect(writer.write(ENDPOINT, ORDER)).rejects.toThrow(StoreUnavailable)
})

function threadOfTest(source: string): string {
  const file = join(directoryOfTest(), "thread.mjs")
  writeFileSync(file, source)
  return file
}
