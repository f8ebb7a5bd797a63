import { describe, expect, test } from "vitest"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { sleep } from "#tests/support/wait-for.ts"
import { error } from "#tests/inspector/store/events.ts"
import { itemRecord } from "#tests/inspector/store/items.ts"
import { serve, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord, spanRecords } from "#tests/inspector/ingest/span-records.ts"

const TRACE = "ab".repeat(16) as TraceId
const PARENT = "cd".repeat(8) as SpanId

function request(headers: Record<string, string> = {}, init: RequestInit = {}): Request {
  return new Request("http://localhost/live", { headers: { host: "localhost", ...headers }, ...init })
}

/** Reads events one by one. */
function events(response: Response) {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ""
  return {
    async next(): Promise<string | undefined> {
      while (!text.includes("\n\n")) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
      const [event = "", ...rest] = text.split("\n\n")
      text = rest.join("\n\n")
      return event
    },
    cancel: () => reader.cancel(),
  }
}

function tracesOf(event: string | undefined): TraceSummaryJson[] {
  const [name, data = ""] = event?.split("\n") ?? []
  expect(name).toBe("event: traces")
  return JSON.parse(data.replace("data: ", "")) as TraceSummaryJson[]
}

describe("GET /live", () => {
  test("sends the spans of each batch at once, even while the store is down", async () => {
    const { receiver, sink } = await startReceiver()
    sink.isDown = true
    const response = receiver.live(request())
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("access-control-allow-origin")).toBeNull()
    const live = events(response)
    expect(await live.next()).toBe("retry: 2000")
    const cart = { attributes: new Map([["service.name", "cart"]]), schemaUrl: "" }
    await receiver.ingest({
      spans: [
        spanRecord(1, {
          traceId: TRACE,
          parentSpanId: PARENT,
          startTime: nanoseconds(2_000n),
          endTime: nanoseconds(9_000n),
          resource: cart,
          status: { code: "error", message: "" },
        }),
        spanRecord(2, { traceId: TRACE, name: "/cart", startTime: nanoseconds(1_000n), endTime: nanoseconds(5_000n) }),
        spanRecord(3, { source: "sentry" }),
      ],
    })
    const traces = tracesOf(await live.next())
    expect(traces).toHaveLength(2)
    expect(traces[0]).toStrictEqual({
      traceId: TRACE,
      name: "/cart",
      provisional: false,
      services: ["shop", "cart"],
      startTimeUnixNano: "1000",
      durationNano: "8000",
      spanCount: 2,
      errorCount: 1,
      sources: ["otlp"],
    })
    expect(traces[1]).toMatchObject({ spanCount: 1, sources: ["sentry"] })
    await receiver.ingest({ spans: [spanRecord(4, { traceId: TRACE, parentSpanId: PARENT, name: "late child" })] })
    expect(tracesOf(await live.next())).toMatchObject([{ traceId: TRACE, name: "late child", spanCount: 1 }])
  })

  test("sends the number of new errors, also without a span", async () => {
    const { receiver } = await startReceiver()
    const live = events(receiver.live(request()))
    await live.next()
    await receiver.ingest({ errors: [error(1, 1), error(1, 2)] })
    expect(await live.next()).toBe('event: errors\ndata: {"errors":2}')
    await live.cancel()
  })

  test("sends the number of new envelope items, except events that became errors or spans", async () => {
    const { receiver } = await startReceiver()
    const live = events(receiver.live(request()))
    await live.next()
    const items = ["feedback", "event", "check_in", "transaction"].map((type) => itemRecord({ type }))
    await receiver.ingest({ items })
    expect(await live.next()).toBe('event: items\ndata: {"items":2}')
    await live.cancel()
  })

  test("sends the number of new drops once they are stored, reported ones too", async () => {
    const { receiver, sink } = await startReceiver()
    sink.isDown = true
    const live = events(receiver.live(request()))
    await live.next()
    receiver.drops.record("ingest", { reason: "too_large", category: "span", count: 3, sample: "" })
    receiver.drops.report("page", { reason: "queue_overflow", category: "span", count: 2, sample: "" })
    const announced = live.next()
    expect(await Promise.race([announced, sleep(50)])).toBeUndefined()
    sink.isDown = false
    expect(await announced).toBe('event: drops\ndata: {"drops":5}')
    expect(sink.drops).toHaveLength(2)
    await live.cancel()
  })

  test("announces errors once they are stored, when a reader can read them, also to one that came in between", async () => {
    const { receiver, sink } = await startReceiver()
    sink.isDown = true
    const early = events(receiver.live(request()))
    await receiver.ingest({ errors: [error(1, 1)], spans: [spanRecord(1)] })
    expect([await early.next(), tracesOf(await early.next())]).toMatchObject(["retry: 2000", [{ spanCount: 1 }]])
    const late = events(receiver.live(request()))
    await late.next()
    const announced = Promise.all([early.next(), late.next()])
    expect(await Promise.race([announced, sleep(50)])).toBeUndefined()
    sink.isDown = false
    expect(await announced).toEqual(Array.from({ length: 2 }, () => 'event: errors\ndata: {"errors":1}'))
    expect(sink.errors).toHaveLength(1)
    await Promise.all([early.cancel(), late.cancel()])
  })

  test("a reader that does not read takes bounded memory, and later gets the number of skipped traces", async () => {
    const { receiver } = await startReceiver()
    const live = events(receiver.live(request()))
    expect(await live.next()).toBe("retry: 2000")
    // The stream buffers one event. Later ones are merged.
    await receiver.ingest({ spans: [spanRecord(0)] })
    for (let round = 0; round < 4; round += 1) await receiver.ingest({ spans: spanRecords(600, 1) })
    expect(tracesOf(await live.next())).toHaveLength(1)
    const summed = tracesOf(await live.next())
    expect(summed).toHaveLength(500)
    expect(new Set(summed.map(({ spanCount }) => spanCount))).toStrictEqual(new Set([4]))
    expect(await live.next()).toBe('event: skipped\ndata: {"skipped":400}')
    await live.cancel()
  })

  test("sends heartbeats while nothing happens", async () => {
    const { receiver } = await startReceiver({ heartbeatMs: 1 })
    const live = events(receiver.live(request()))
    await live.next()
    expect(await live.next()).toBe(": heartbeat")
    expect(await live.next()).toBe(": heartbeat")
    await live.cancel()
  })

  test("ends when the client disconnects, and frees its subscription", async () => {
    const { receiver } = await startReceiver()
    const disconnect = new AbortController()
    const live = events(receiver.live(request({}, { signal: disconnect.signal })))
    await live.next()
    expect(receiver.liveFeed.subscriberCount).toBe(1)
    disconnect.abort()
    expect(await live.next()).toBeUndefined()
    expect(receiver.liveFeed.subscriberCount).toBe(0)
    const other = events(receiver.live(request()))
    await other.cancel()
    expect(receiver.liveFeed.subscriberCount).toBe(0)
  })

  test("ends when the receiver stops", async () => {
    const { receiver } = await startReceiver()
    const live = events(receiver.live(request()))
    await live.next()
    await receiver.close()
    expect(await live.next()).toBeUndefined()
    const after = events(receiver.live(request()))
    expect(await after.next()).toBe("retry: 2000")
    expect(await after.next()).toBeUndefined()
  })

  test("64 streams are served, and the next is answered 503 with a time to retry", async () => {
    const { receiver } = await startReceiver()
    const responses = Array.from({ length: 64 }, () => receiver.live(request()))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    const refused = receiver.live(request())
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).toBe("30")
    await responses[0]!.body!.cancel()
    expect(receiver.live(request()).status).toBe(200)
  })

  test.each([
    [{ host: "evil.example" }, 421],
    [{ origin: "http://localhost:3000" }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
    [{}, 401],
  ])("%j is answered %i, opens no stream, and is counted", async (headers, status) => {
    const { receiver } = await startReceiver({ token: secret("0123456789abcdef") })
    const response = receiver.live(request(headers))
    expect(response.status).toBe(status)
    expect(receiver.liveFeed.subscriberCount).toBe(0)
    expect(Object.values(receiver.drops.totals())).toStrictEqual([1])
  })

  test("HEAD opens no stream", async () => {
    const { receiver } = await startReceiver()
    const response = receiver.live(request({}, { method: "HEAD" }))
    expect([response.status, response.body, receiver.liveFeed.subscriberCount]).toStrictEqual([200, null, 0])
  })

  test("over HTTP, a disconnected reader is forgotten", async () => {
    const { receiver } = await startReceiver()
    const url = await serve(receiver.live)
    const disconnect = new AbortController()
    const live = events(await fetch(`${url}/live`, { signal: disconnect.signal }))
    await live.next()
    await receiver.ingest({ spans: spanRecords(1) })
    expect(tracesOf(await live.next())).toHaveLength(1)
    disconnect.abort()
    await expect(live.next()).rejects.toThrow(/abort/)
    await expect.poll(() => receiver.liveFeed.subscriberCount).toBe(0)
  })
})
