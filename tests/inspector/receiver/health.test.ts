import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import type { HealthReport } from "#otel/inspector/ingest/http/health.ts"
import type { Receiver } from "#otel/inspector/ingest/receiver.ts"
import { dropToJson } from "#otel/inspector/queries/drops/drop-reader.ts"
import { BODY_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import type { DropReason } from "#otel/protocol/records/drop.ts"
import { secret } from "#otel/protocol/secret.ts"
import { encodeJson, request, span } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { post, startReceiver, temporaryDirectory } from "./receiver-under-test.ts"
import { spanRecords } from "./span-records.ts"

/** Health tells of every fault by its reason, and is red before anything that could be taken is refused. */

async function healthOf(receiver: Receiver): Promise<{ status: number; report: HealthReport }> {
  const answer = await receiver.health(new Request("http://localhost/health", { headers: { host: "localhost" } }))
  return { status: answer.status, report: (await answer.json()) as HealthReport }
}

const spans = (count: number) =>
  Array.from({ length: count }, (_, index) => span({ spanId: (index + 1).toString(16).padStart(16, "0") }))

const BODY = encodeJson(request(span()))
const BOMB = gzipSync(Buffer.alloc(BODY_LIMIT_BYTES + 1))

/** What a client or a page can do wrong, the reason under which health counts it, and how many records that costs. */
const FAULTS: readonly (readonly [
  what: string,
  reason: DropReason,
  count: number,
  act: (receiver: Receiver) => unknown,
])[] = [
  ["a foreign host", "foreign_host", 1, (receiver) => receiver.traces(post(BODY, { host: "evil.example" }))],
  [
    "a foreign page",
    "foreign_origin",
    1,
    (receiver) => receiver.traces(post(BODY, { origin: "https://evil.example" })),
  ],
  ["a page without an origin", "foreign_origin", 1, (receiver) => receiver.envelope(post("x", { origin: "null" }))],
  [
    "a reader on another site",
    "foreign_origin",
    1,
    (receiver) => receiver.guardRead(get({ origin: "https://e.example" })),
  ],
  ["a media type", "bad_media_type", 1, (receiver) => receiver.traces(post(BODY, { "content-type": "text/csv" }))],
  ["an encoding", "bad_encoding", 1, (receiver) => receiver.traces(post(BODY, { "content-encoding": "zip" }))],
  [
    "a body that is no gzip",
    "bad_encoding",
    1,
    (receiver) => receiver.traces(post(BODY, { "content-encoding": "gzip" })),
  ],
  ["a bomb", "too_large", 1, (receiver) => receiver.traces(post(BOMB, { "content-encoding": "gzip" }))],
  [
    "a body that says it is too large",
    "too_large",
    1,
    (receiver) => receiver.logs(post(BODY, { "content-length": "99999999" })),
  ],
  ["a request that is none", "malformed", 1, (receiver) => receiver.traces(post("{"))],
  ["an envelope that is none", "malformed", 1, (receiver) => receiver.envelope(post("}{"))],
  [
    "a method",
    "malformed",
    1,
    (receiver) =>
      receiver.traces(new Request("http://localhost/v1/traces", { method: "PUT", headers: { host: "localhost" } })),
  ],
  [
    "a span that is not valid",
    "invalid",
    1,
    (receiver) => receiver.traces(post(encodeJson(request(span(), span({ traceId: "0".repeat(32) }))))),
  ],
  [
    "an attribute that is too long",
    "limit_attributes",
    1,
    (receiver) =>
      receiver.traces(
        post(encodeJson(request(span({ attributes: [{ key: "k", value: { stringValue: "x".repeat(70_000) } }] })))),
      ),
  ],
  [
    "more spans than may ever wait",
    "limit_spans",
    11,
    (receiver) => receiver.traces(post(encodeJson(request(...spans(11))))),
  ],
  [
    "metrics",
    "unsupported",
    1,
    (receiver) =>
      receiver.metrics(
        post(encodeJson({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: { dataPoints: [{}] } }] }] }] })),
      ),
  ],
  [
    "an item that is no JSON",
    "malformed",
    1,
    (receiver) => receiver.envelope(post(envelope({}, item("transaction", "{broken")))),
  ],
]

const get = (headers: Record<string, string>) =>
  new Request("http://localhost/", { headers: { host: "localhost", ...headers } })

describe("health tells", () => {
  test.each(FAULTS)("of %s as %s, %i, and stays green: nothing of ours is wrong", async (_what, reason, count, act) => {
    const { receiver } = await startReceiver({ waitingSpanLimit: 10 })
    await act(receiver)
    const { status, report } = await healthOf(receiver)
    expect(report.dropped).toStrictEqual({ [reason]: count })
    expect([status, report.status]).toStrictEqual([200, "ok"])
  })

  test("of nothing that a client reports: anyone can report any number", async () => {
    const { receiver, sink } = await startReceiver()
    const discarded = [{ reason: "network_error", category: "span", quantity: 1_000_000_000 }]
    const body = envelope({}, item("client_report", { discarded_events: discarded }))
    for (const headers of [{}, { origin: "http://localhost:3000" }])
      expect((await receiver.envelope(post(body, headers))).status).toBe(200)
    expect((await healthOf(receiver)).report.dropped).toStrictEqual({})
    await sink.until(({ drops }) => drops.length === 2)
    expect(sink.drops.map((drop) => [drop.stage, dropToJson(drop).sender, drop.count])).toStrictEqual([
      ["server", "client", 1_000_000_000],
      ["page", "client", 1_000_000_000],
    ])
  })

  test("of a wrong token", async () => {
    const { receiver } = await startReceiver({ token: secret("0123456789abcdef") })
    await receiver.traces(post(BODY, { authorization: "Bearer guessed" }))
    expect((await healthOf(receiver)).report.dropped).toStrictEqual({ unauthorized: 1 })
  })

  test("of a body that does not come", async () => {
    const { receiver } = await startReceiver({ bodyDeadlineMs: 20 })
    await receiver.traces(post(new ReadableStream({ start() {} })))
    const { dropped } = (await healthOf(receiver)).report
    expect(Object.values(dropped)).toStrictEqual([1])
  })

  test("of what is refused while the queue is full, until it is not", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 10 })
    sink.isAway = true
    await receiver.ingest({ spans: spanRecords(8) })
    await receiver.traces(post(encodeJson(request(...spans(5)))))
    await receiver.envelope(
      post(envelope({}, item("event", errorEvent()), item("event", errorEvent()), item("event", errorEvent()))),
    )
    expect((await healthOf(receiver)).report.dropped).toStrictEqual({ store_unavailable: 8 })
  })
})

describe("health is red first", () => {
  test("where the store is away, before anything is refused", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 10 })
    sink.isAway = true
    expect(await healthOf(receiver)).toMatchObject({ status: 503, report: { status: "down", dropped: {} } })
    expect((await receiver.traces(post(BODY))).status).toBe(200)
    sink.isAway = false
    await sink.until(({ spans: stored }) => stored.length === 1)
    expect((await healthOf(receiver)).status).toBe(200)
  })

  test.each(["starting", "down", "closed"] as const)("where the store is %s", async (state) => {
    const { receiver } = await startReceiver({ storeState: () => state })
    expect(await healthOf(receiver)).toMatchObject({ status: 503, report: { status: state } })
  })

  test("where nothing can be written, and green again when it can", async () => {
    const directory = await temporaryDirectory()
    const inTheWay = join(directory, "journal")
    writeFileSync(inTheWay, "")
    const { receiver } = await startReceiver({ journalDirectory: inTheWay })
    expect((await receiver.traces(post(BODY))).status).toBe(503)
    expect(await healthOf(receiver)).toMatchObject({ status: 503, report: { status: "journal unavailable" } })
    rmSync(inTheWay)
    for (let tries = 0; tries < 200 && (await receiver.traces(post(BODY))).status !== 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25))
    expect((await healthOf(receiver)).status).toBe(200)
  })

  test("where the store takes spans more slowly than they come, before one is refused", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 100 })
    sink.insertRecords = () => new Promise(() => undefined)
    const seen: number[] = []
    for (let count = 0; count < 100; count += 5) {
      await receiver.ingest({ spans: spanRecords(5, count) })
      seen.push((await healthOf(receiver)).status)
    }
    expect(seen.slice(0, 10)).toStrictEqual(Array.from({ length: 10 }, () => 200))
    expect(seen.at(-1)).toBe(503)
    expect((await healthOf(receiver)).report).toMatchObject({ status: "queue full", dropped: {} })
    expect((await receiver.traces(post(BODY))).status).toBe(503)
  })
})
