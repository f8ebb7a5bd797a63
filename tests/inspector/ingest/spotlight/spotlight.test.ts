import { describe, expect, onTestFinished, test, vi } from "vitest"
import { EnvelopeRing } from "#otel/inspector/ingest/spotlight/envelope-ring.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const HEADERS = { host: "localhost:8969" }

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Request {
  return new Request(`http://localhost:8969${path}`, { method, headers: { ...HEADERS, ...headers } })
}

interface StreamEvent {
  readonly event: string
  readonly id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what the tests are about
  readonly data: any
}

/** Reads the events of a stream one by one. */
function reader(response: Response) {
  const body = response
    .body!.pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>
  let text = ""
  return {
    async next(): Promise<StreamEvent> {
      for (;;) {
        const found = /event: (.*)\nid: (.*)\ndata: (.*)\n\n/.exec(text)
        if (found !== null) {
          text = text.slice(found.index + found[0].length)
          return { event: found[1]!, id: found[2]!, data: JSON.parse(found[3]!) }
        }
        const { value, done } = await body.read()
        if (done) throw new Error("the stream ended")
        text += value
      }
    },
    stop: () => body.cancel(),
  }
}

const first = envelope({ sdk: { name: "sentry.javascript.browser" } }, item("event", errorEvent()))
const second = Buffer.concat([
  envelope({}, item("log", { items: [] })),
  Buffer.from('{"type":"attachment","length":3,"filename":"a"}\n'),
  Buffer.from([0, 255, 10]),
])

describe("GET /stream", () => {
  test("replays the buffered envelopes and continues with new ones, in Spotlight's format", async () => {
    const { receiver } = await startReceiver()
    await receiver.stream(post(first, { "user-agent": "sdk/1" }))
    const response = await receiver.stream(get("/stream"))
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const stream = reader(response)
    const replayed = await stream.next()
    expect(replayed.event).toBe("application/x-sentry-envelope")
    expect(replayed.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(replayed.data[0]).toMatchObject({
      sdk: { name: "sentry.javascript.browser" },
      __spotlight_envelope_id: replayed.id,
      __spotlight_sender_user_agent: "sdk/1",
      __spotlight_inferred_source: "browser",
    })
    expect(replayed.data[1]).toMatchObject([[{ type: "event" }, { type: "event", transaction: "/cart" }]])
    await receiver.envelope(post(second))
    const live = await stream.next()
    expect(live.id > replayed.id).toBe(true)
    expect(live.data[1]).toStrictEqual([
      [{ type: "log" }, { items: [], type: "log" }],
      [{ type: "attachment", length: 3, filename: "a" }, { data: Buffer.from([0, 255, 10]).toString("base64") }],
    ])
    await stream.stop()
  })

  test("resumes after Last-Event-ID, and encodes event names in base64 on request", async () => {
    const { receiver } = await startReceiver()
    await receiver.stream(post(first))
    await receiver.stream(post(second))
    const all = reader(await receiver.stream(get("/stream?base64=1")))
    const one = await all.next()
    expect(one.event).toBe("application/x-sentry-envelope;base64")
    const two = await all.next()
    const resumed = reader(await receiver.stream(get("/stream", { "last-event-id": one.id })))
    expect((await resumed.next()).id).toBe(two.id)
    await Promise.all([all.stop(), resumed.stop()])
  })

  test("refuses foreign pages and foreign hosts", async () => {
    const { receiver } = await startReceiver()
    expect((await receiver.stream(get("/stream", { origin: "http://localhost:3000" }))).status).toBe(403)
    expect((await receiver.stream(get("/stream", { host: "rebound.test" }))).status).toBe(421)
    expect(receiver.drops.totals()).toStrictEqual({ foreign_origin: 1, foreign_host: 1 })
  })

  test("ends when its reader disconnects", async () => {
    const { receiver } = await startReceiver({ heartbeatMs: 5 })
    const disconnect = new AbortController()
    const response = await receiver.stream(new Request(get("/stream"), { signal: disconnect.signal }))
    disconnect.abort()
    await expect(new Response(response.body).text()).resolves.toMatch(/^\n/)
  })
})

test("DELETE /clear empties the buffer, an envelope is served by its id, and health is the sidecar's", async () => {
  const { receiver } = await startReceiver()
  const { spotlight } = receiver
  await receiver.stream(post(first))
  const stream = reader(await receiver.stream(get("/stream")))
  const { id } = await stream.next()
  await stream.stop()
  const bytes = await spotlight.envelope(get(`/envelope/${id}`), id).arrayBuffer()
  expect(Buffer.from(bytes).equals(first)).toBe(true)
  expect(spotlight.clear(get("/clear", { origin: "http://localhost:3000" }, "DELETE")).status).toBe(403)
  expect(spotlight.clear(get("/clear")).status).toBe(405)
  const cleared = spotlight.clear(get("/clear", {}, "DELETE"))
  expect([cleared.status, await cleared.text()]).toStrictEqual([200, "Cleared"])
  expect(spotlight.envelope(get(`/envelope/${id}`), id).status).toBe(404)
  const health = spotlight.health(get("/health"))
  expect([health.status, await health.text()]).toStrictEqual([200, "OK"])
  expect(health.headers.get("x-powered-by")).toBe("spotlight-by-sentry")
  expect(receiver.health(get("/health")).headers.get("x-powered-by")).toBeNull()
})

describe("the ring buffer", () => {
  test("is limited in bytes: it drops the oldest, and holds no envelope larger than itself", () => {
    const ring = new EnvelopeRing(10_000)
    for (let number = 0; number < 1_000; number += 1) ring.add(Buffer.alloc(700, number % 256), "")
    expect(ring.bytes).toBeLessThanOrEqual(10_000)
    expect(ring.bytes).toBeGreaterThan(8_000)
    ring.add(Buffer.alloc(20_000), "")
    const held: number[] = []
    for (let entry = ring.after(""); entry !== undefined; entry = ring.after(entry.id)) held.push(entry.bytes[0]!)
    expect(held).toStrictEqual(Array.from({ length: 8 }, (_, index) => (992 + index) % 256))
  })

  test("assigns ascending ids, within a millisecond and when the clock is set back", () => {
    const ring = new EnvelopeRing()
    const now = Date.now()
    vi.useFakeTimers({ now, toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    for (let number = 0; number < 10_000; number += 1) {
      if (number === 9_000) vi.setSystemTime(now - 60_000)
      ring.add(Buffer.alloc(1), "")
    }
    const ids: string[] = []
    for (let entry = ring.after(""); entry !== undefined; entry = ring.after(entry.id)) ids.push(entry.id)
    expect(ids).toHaveLength(10_000)
    expect(ids).toStrictEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(10_000)
    expect(new Set(ids.map((id) => id.slice(-17))).size).toBe(10_000)
  })
})
