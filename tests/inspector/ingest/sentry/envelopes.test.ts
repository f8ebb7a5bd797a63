import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { secret } from "#otel/protocol/secret.ts"
import {
  envelope,
  errorEvent,
  EVENT_ID,
  item,
  type Json,
  ROOT_ID,
  TRACE_ID,
  transaction,
} from "#tests/protocol/sentry/envelopes.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const PATH = "/api/1/envelope/"
const TOKEN = "0123456789abcdef"
const complete = envelope({ event_id: EVENT_ID }, item("transaction", transaction()), item("event", errorEvent()))

function send(body: Uint8Array | string, headers: Record<string, string> = {}, path = PATH): Request {
  return post(body, { "content-type": "application/x-sentry-envelope", ...headers }, path)
}

test("an envelope is answered with its event id, and its spans and errors are stored", async () => {
  const { receiver, sink } = await startReceiver()
  const response = await receiver.envelope(send(complete))
  expect(response.status).toBe(200)
  expect(await response.json()).toStrictEqual({ id: EVENT_ID })
  await receiver.close()
  expect(sink.spans.map(({ spanId, source }) => [spanId, source])).toContainEqual([ROOT_ID, "sentry"])
  expect(sink.spans).toHaveLength(2)
  expect(sink.errors).toMatchObject([{ eventId: EVENT_ID, traceId: TRACE_ID, source: "sentry" }])
  expect(receiver.drops.totals()).toStrictEqual({})
})

test.each([
  ["gzip", gzipSync(complete)],
  ["deflate", deflateSync(complete)],
  ["br", brotliCompressSync(complete)],
])("an envelope in %s is read", async (coding, body) => {
  const { receiver, sink } = await startReceiver()
  expect((await receiver.envelope(send(body, { "content-encoding": coding }))).status).toBe(200)
  await receiver.close()
  expect(sink.spans).toHaveLength(2)
})

test.each(["text/plain;charset=UTF-8", "application/json", "", "application/octet-stream"])(
  "an envelope is read with the content type %j",
  async (type) => {
    const { receiver, sink } = await startReceiver()
    expect((await receiver.envelope(send(complete, { "content-type": type }))).status).toBe(200)
    await receiver.close()
    expect(sink.spans).toHaveLength(2)
  },
)

test("a page on a listed origin can send by simple and preflighted requests, and other pages cannot", async () => {
  const { receiver, sink } = await startReceiver({ origins: ["https://shop.test"] })
  const simple = await receiver.envelope(send(complete, { origin: "https://shop.test", "content-type": "text/plain" }))
  expect(simple.status).toBe(200)
  expect(simple.headers.get("access-control-allow-origin")).toBe("https://shop.test")
  const preflight = new Request(`http://localhost:4318${PATH}`, {
    method: "OPTIONS",
    headers: { host: "localhost:4318", origin: "http://localhost:3000", "access-control-request-method": "POST" },
  })
  const allowed = await receiver.envelope(preflight)
  expect(allowed.status).toBe(204)
  expect(allowed.headers.get("access-control-allow-headers")).toContain("x-sentry-auth")
  const foreign = await receiver.envelope(
    send(complete, { origin: "https://other.test", "content-type": "text/plain" }),
  )
  expect(foreign.status).toBe(403)
  expect(foreign.headers.get("access-control-allow-origin")).toBeNull()
  await receiver.close()
  expect(sink.spans).toHaveLength(2)
  expect(receiver.drops.totals()).toStrictEqual({ foreign_origin: 1 })
})

describe("if a token is set, the key of the DSN must be the token", () => {
  const withDsn = envelope({ dsn: `http://${TOKEN}@localhost:4318/1` }, item("event", errorEvent()))
  test.each<[string, Uint8Array, Record<string, string>, string, number]>([
    ["in the query", complete, {}, `${PATH}?sentry_version=7&sentry_key=${TOKEN}`, 200],
    ["in X-Sentry-Auth", complete, { "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${TOKEN}` }, PATH, 200],
    ["alone in X-Sentry-Auth", complete, { "x-sentry-auth": `sentry sentry_key=${TOKEN}` }, PATH, 200],
    ["in the DSN of the envelope", withDsn, {}, PATH, 200],
    ["as a bearer token", complete, { authorization: `Bearer ${TOKEN}` }, PATH, 200],
    ["nowhere", complete, {}, PATH, 401],
    ["wrong in the query", complete, {}, `${PATH}?sentry_key=wrong`, 401],
    ["wrong in the header", complete, { "x-sentry-auth": "Sentry sentry_key=wrong" }, PATH, 401],
    ["wrong in the DSN", envelope({ dsn: "http://%zz@localhost/1" }), {}, PATH, 401],
    ["in a malformed envelope", Buffer.from("garbage"), {}, PATH, 401],
  ])("%s", async (_name, body, headers, path, status) => {
    const { receiver } = await startReceiver({ token: secret(TOKEN) })
    expect((await receiver.envelope(send(body, headers, path))).status).toBe(status)
    expect((await receiver.stream(send(body, headers, path))).status).toBe(status)
    expect(receiver.drops.totals()).toStrictEqual(status === 401 ? { unauthorized: 2 } : {})
  })

  test("at Sentry's OTLP paths too, and not at OTLP's own paths", async () => {
    const { receiver } = await startReceiver({ token: secret(TOKEN) })
    const headers = { "x-sentry-auth": `sentry sentry_key=${TOKEN}` }
    expect((await receiver.sentryTraces(post("{}", headers))).status).toBe(200)
    expect((await receiver.sentryLogs(post("{}", headers))).status).toBe(200)
    expect((await receiver.sentryTraces(post("{}", {}))).status).toBe(401)
    expect((await receiver.traces(post("{}", headers))).status).toBe(401)
  })
})

describe("a refusal", () => {
  test("of a malformed envelope states the reason and is counted; Spotlight's handler only counts it", async () => {
    const { receiver } = await startReceiver()
    const refused = await receiver.envelope(send("garbage"))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ message: "The envelope's header is not a JSON object." })
    expect(receiver.drops.totals()).toStrictEqual({ malformed: 1 })
    expect((await receiver.stream(send("garbage"))).status).toBe(200)
    expect(receiver.drops.totals()).toStrictEqual({ malformed: 2 })
  })

  test("while the queue is full is 429 with a time to retry, and counts the records of the envelope", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 5, storeState: () => "ready" })
    sink.isDown = true
    expect((await receiver.envelope(send(complete))).status).toBe(200)
    const refused = await receiver.envelope(send(complete))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await receiver.stream(send(complete))).status).toBe(200)
    expect(receiver.drops.totals()).toStrictEqual({ queue_overflow: 6 })
  })

  test("for the method or the host is the same as at every handler", async () => {
    const { receiver } = await startReceiver()
    const get = new Request(`http://localhost:4318${PATH}`, { headers: { host: "localhost" } })
    expect((await receiver.envelope(get)).status).toBe(405)
    expect((await receiver.envelope(send(complete, { host: "rebound.test" }))).status).toBe(421)
  })

  test("of items is counted by category, and the other items are stored", async () => {
    const { receiver, sink } = await startReceiver()
    const body = envelope(
      {},
      item("session", {}),
      item("transaction", "{broken"),
      item("event", errorEvent()),
      item("made_up", "x"),
      item("client_report", { discarded_events: [{ reason: "sample_rate", category: "transaction", quantity: 5 }] }),
    )
    expect((await receiver.envelope(send(body, { origin: "http://localhost:3000" }))).status).toBe(200)
    await receiver.close()
    expect(sink.errors).toHaveLength(1)
    expect(sink.items.map(({ type }) => type)).toStrictEqual(["session", "event", "made_up"])
    const drops = sink.drops.map(({ stage, reason, category, count }) => [stage, reason, category, count])
    expect(drops).toStrictEqual(
      expect.arrayContaining([
        ["ingest", "malformed", "transaction", 1],
        ["page", "sample_rate", "transaction", 5],
      ]),
    )
    expect(drops).toHaveLength(2)
  })
})

test.each<[string, Json]>([
  ["values", { values: [{ type: "E", value: "v" }] }],
  ["a list", [{ type: "E", value: "v" }]],
])("the store endpoint accepts an event whose exception is in %s", async (_name, exception) => {
  const forwarded: string[] = []
  const onStored = (stored: object) => "envelope" in stored && forwarded.push(String(stored.envelope))
  const { receiver, sink } = await startReceiver({ onStored })
  const event = JSON.stringify({ event_id: EVENT_ID, exception }, null, 2)
  const response = await receiver.store(send(event, {}, "/api/1/store/"))
  expect(await response.json()).toStrictEqual({ id: EVENT_ID })
  // Sentry gets it as an envelope.
  expect(forwarded).toEqual([`{"event_id":"${EVENT_ID}"}\n{"type":"event","length":${event.length}}\n${event}`])
  await receiver.close()
  expect(sink.errors).toMatchObject([{ eventId: EVENT_ID, type: "E", value: "v" }])
})
