import { createServer, request as requestTo, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { secret } from "#otel/protocol/secret.ts"
import { SPANS_A_TRACE, syntheticTraces } from "../../../bench/synthetic-traces.ts"
import { removeDirectory, temporaryDirectory } from "../directories.ts"
import { itemRecord } from "../items.ts"
import { ago, plus, service, span, spanId, traceId } from "../spans.ts"
import { DAY_MS } from "../stores.ts"
import { openTestStore, type TestStore } from "../test-store.ts"
import { forkStore, portOf, stop, TOKEN } from "./processes.ts"

/** The same queries to the embedded engine and to a ClickHouse server must have the same results. */

const TRACES = 300
const now = ago(0)

const synthetic = [...syntheticTraces(TRACES, Date.now() - DAY_MS, DAY_MS - 60_000, 2_000)]
const odd: readonly SpanRecord[] = [
  span(1, 11, { startTime: plus(now, -5_000_000_000n), parentSpanId: spanId(99), name: "no root" }),
  span(1, 12, { startTime: plus(now, -6_000_000_000n), parentSpanId: spanId(98), name: "" }),
  span(2, 21, { startTime: plus(now, -7_000_000_000n), resource: service("' \\ \n ☃"), source: "sentry" }),
  span(2, 21, { startTime: plus(now, -7_000_000_001n), resource: service("' \\ \n ☃") }),
  span(3, 31, { startTime: plus(now, -7_000_000_001n), name: "tie" }),
]
const drops: readonly DropRecord[] = [
  { time: now, stage: "ingest", sender: "inspector", reason: "malformed", category: "span", count: 3, sample: "a\tb" },
  {
    time: plus(now, -1n),
    stage: "page",
    sender: "client",
    reason: "sample_rate",
    category: "transaction",
    count: 1,
    sample: "",
  },
]

const hex = (digit: string) => digit.repeat(32)
const items = [
  itemRecord({ itemId: hex("a"), type: "event", eventId: hex("1"), time: now, payload: Buffer.from('{"n":1}') }),
  itemRecord({
    itemId: hex("b"),
    type: "attachment",
    eventId: hex("1"),
    time: now,
    payload: Buffer.from([0, 255, 10]),
  }),
  itemRecord({ itemId: hex("c"), type: "feedback", eventId: hex("2"), aboutEventId: hex("1"), time: plus(now, -1n) }),
  itemRecord({ itemId: hex("d"), type: "transaction", traceId: traceId(2), spanId: spanId(21), time: now }),
  itemRecord({ itemId: hex("e"), type: "' \\ \n ☃", time: plus(now, -5n), facts: [["' \\", "\0"]] }),
]

let stores: readonly [embedded: TestStore, server: TestStore]
let cleanUp: () => Promise<void>
/** The length of each URL that the server received. */
let longestAddress = 0
/** The body of each request to it: a statement, alone or in a form. */
const bodies: string[] = []

beforeAll(async () => {
  const directories = [temporaryDirectory(), temporaryDirectory()] as const
  const child = forkStore()
  const port = await portOf(child, directories[1])
  const proxy = await recordingProxy(port)
  const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  const settings = { retentionMs: 2 * DAY_MS }
  stores = [openTestStore({ dataDirectory: directories[0] }, settings), openTestStore({ url }, settings)]
  cleanUp = async () => {
    await Promise.all(stores.map((store) => store.close()))
    proxy.close()
    await stop(child)
    for (const directory of directories) removeDirectory(directory)
  }
  await Promise.all(stores.map((store) => fill(store)))
})
afterAll(() => cleanUp())

/** A proxy in front of the server that records the length of URLs, and the bodies. */
async function recordingProxy(to: number): Promise<Server> {
  const server = createServer((request, response) => {
    longestAddress = Math.max(longestAddress, request.url?.length ?? 0)
    const { method, url: path, headers } = request
    const onward = requestTo({ host: "127.0.0.1", port: to, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => response.destroy())
    request.pipe(onward)
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => bodies.push(Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

async function fill(store: TestStore): Promise<void> {
  await store.ready()
  for (const [number, batch] of synthetic.entries()) await store.insertSpans(batch, `synthetic ${number}`)
  await store.insertSpans(odd, "odd")
  await store.insertSpans(odd.slice(1, 3), "odd again")
  await store.insertDrops(drops, "drops")
  await store.insertItems(items, "items")
  await store.insertItems(items.slice(1, 3), "items again")
}

async function follow(store: TestStore, limit: number, pages: number): Promise<unknown> {
  let after: string | undefined
  const traces = []
  for (let page = 0; page < pages; page++) {
    const list = await store.listTraces({ limit, after })
    traces.push(...list.traces)
    after = list.next
  }
  return { traces, after }
}

const known = synthetic.flat().map((record) => record.traceId)
const hour = 3_600_000_000_000n

const QUESTIONS: readonly (readonly [string, (store: TestStore) => Promise<unknown>, (answer: never) => void])[] = [
  ["the newest trace", (store) => store.listTraces({ limit: 1 }), hasTraces(1)],
  ["the newest 50", (store) => store.listTraces({ limit: 50 }), hasTraces(50)],
  ["all of them", (store) => store.listTraces({ limit: 1_000 }), hasTraces(TRACES + 3)],
  ["more than a page allows", (store) => store.listTraces({ limit: 1e9 }), hasTraces(TRACES + 3)],
  ["page by page of 7", (store) => follow(store, 7, 30), hasTraces(210)],
  ["page by page of 100", (store) => follow(store, 100, 4), hasTraces(TRACES + 3)],
  ["a service of every trace", (store) => store.listTraces({ limit: 40, service: "checkout" }), hasTraces(40)],
  ["a rare service", (store) => store.listTraces({ limit: 40, service: "rare" }), hasTraces(1)],
  ["no such service", (store) => store.listTraces({ limit: 40, service: "none" }), hasTraces(0)],
  ["a service with a hostile name", (store) => store.listTraces({ limit: 40, service: "' \\ \n ☃" }), hasTraces(1)],
  ["the last 10 seconds", (store) => store.listTraces({ limit: 99, since: plus(now, -10_000_000_000n) }), hasTraces(3)],
  [
    "since a time to the nanosecond",
    (store) => store.listTraces({ limit: 99, since: plus(now, -7_000_000_000n) }),
    hasTraces(1),
  ],
  [
    "the last 2 hours of a service",
    (store) => store.listTraces({ limit: 9, service: "web", since: plus(now, -2n * hour) }),
    hasTraces(9),
  ],
  ["since the future", (store) => store.listTraces({ limit: 9, since: plus(now, hour) }), hasTraces(0)],
  ["a trace", (store) => store.readTrace(known[0]!), hasLength(SPANS_A_TRACE)],
  ["the last trace", (store) => store.readTrace(known.at(-1)!), hasLength(SPANS_A_TRACE)],
  ["a trace without a root", (store) => store.readTrace(traceId(1)), hasLength(2)],
  ["a trace that came by both protocols", (store) => store.readTrace(traceId(2)), hasLength(1)],
  ["an unknown trace", (store) => store.readTrace(traceId(404)), hasLength(0)],
  ["drops", (store) => store.listDrops(10), hasLength(2)],
  ["envelope items", (store) => store.listItems({ limit: 10 }), hasItems(3)],
  ["envelope items of one type", (store) => store.listItems({ limit: 1, type: "transaction" }), hasItems(1)],
  ["envelope items of a hostile type", (store) => store.listItems({ limit: 9, type: "' \\ \n ☃" }), hasItems(1)],
  ["types of envelope items", (store) => store.countItems(), hasLength(3)],
  ["items of an event", (store) => store.readItemsOfEvent(hex("1")), hasLength(3)],
  ["events of spans", (store) => store.readEventsOfSpans(traceId(2), [spanId(21), spanId(1)]), hasLength(1)],
  ["an item that is no text", (store) => store.readItem(hex("b")), hasPayload([0, 255, 10])],
  ["the newest drop", (store) => store.listDrops(1), hasLength(1)],
]

function hasTraces(count: number) {
  return (answer: { traces: unknown[] }) => expect(answer.traces).toHaveLength(count)
}

function hasItems(count: number) {
  return (answer: { items: unknown[] }) => expect(answer.items).toHaveLength(count)
}

function hasPayload(bytes: readonly number[]) {
  return (answer: { payload: Uint8Array }) => expect([...answer.payload]).toStrictEqual(bytes)
}

function hasLength(count: number) {
  return (answer: unknown[]) => expect(answer).toHaveLength(count)
}

describe("embedded engine and server give the same answer for", () => {
  test.each(QUESTIONS)("%s", async (_name, ask, check) => {
    const [embedded, server] = await Promise.all(stores.map((store) => ask(store)))
    check(embedded as never)
    expect(server).toStrictEqual(embedded)
  })
})

test("no URL is longer than a proxy accepts, however many trace ids a query has", async () => {
  await stores[1].listTraces({ limit: 1_000 })
  // Nginx and load balancers accept 8 kB by default.
  expect(longestAddress).toBeGreaterThan(2_000)
  expect(longestAddress).toBeLessThan(8_000)
})

test("each statement that reads has limits of time, of 20 s at most, and of rows", async () => {
  bodies.length = 0
  for (const [, ask] of QUESTIONS) await ask(stores[1])
  const limits = bodies.map((body) =>
    /\bSETTINGS max_execution_time = (\d+(?:\.\d+)?), max_result_rows = (\d+)/.exec(body)?.slice(1).map(Number),
  )
  expect(bodies.length).toBeGreaterThanOrEqual(QUESTIONS.length)
  expect(bodies.filter((_, index) => limits[index] === undefined)).toEqual([])
  for (const limit of limits) {
    expect(limit?.[0]).toBeGreaterThan(0)
    expect(limit?.[0]).toBeLessThanOrEqual(20)
    expect(limit?.[1]).toBeGreaterThan(0)
  }
})

test("traces are read back as they were inserted", async () => {
  const all = synthetic.flat()
  for (const id of new Set(known.filter((_, index) => index % 400 === 0)))
    expect(await stores[1].readTrace(id)).toStrictEqual(all.filter((record) => record.traceId === id))
})
