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
import { post, startReceiver, temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecords } from "#tests/inspector/ingest/span-records.ts"

/** Health counts every drop by its reason, and reports a problem before valid records are refused. */

async function healthOf(receiver: Receiver): Promise<{ status: number; report: HealthReport }> {
  const answer = await receiver.health(new Request("http://localhost/health", { headers: { host: "localhost" } }))
  return { status: answer.status, report: (await answer.json()) as HealthReport }
}

const spans = (count: number) =>
  Array.from({ length: count }, (_, index) => span({ spanId: (index + 1).toString(16).padStart(16, "0") }))

const BODY = encodeJson(request(span()))
const BOMB = gzipSync(Buffer.alloc(BODY_LIMIT_BYTES + 1))

/** Faults of a client or a page, with the reason and the number of drops that health counts. */
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
  [
    "an unsupported media type",
    "bad_media_type",
    1,
    (receiver) => receiver.traces(post(BODY, { "content-type": "text/csv" })),
  ],
  [
    "an unsupported encoding",
    "bad_encoding",
    1,
    (receiver) => receiver.traces(post(BODY, { "content-encoding": "zip" })),
  ],
  [
    "a body that is not gzip",
    "bad_encoding",
    1,
    (receiver) => receiver.traces(post(BODY, { "content-encoding": "gzip" })),
  ],
  ["a bomb", "too_large", 1, (receiver) => receiver.traces(post(BOMB, { "content-encoding": "gzip" }))],
  [
    "a length header over the limit",
    "too_large",
    1,
    (receiver) => receiver.logs(post(BODY, { "content-length": "99999999" })),
  ],
  ["a malformed request", "malformed", 1, (receiver) => receiver.traces(post("{"))],
  ["a malformed envelope", "malformed", 1, (receiver) => receiver.envelope(post("}{"))],
  [
    "an unsupported method",
    "malformed",
    1,
    (receiver) =>
      receiver.traces(new Request("http://localhost/v1/traces", { method: "PUT", headers: { host: "localhost" } })),
  ],
  [
    "an invalid span",
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
    "more spans than the queue can hold",
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
    "a malformed item",
    "malformed",
    1,
    (receiver) => receiver.envelope(post(envelope({}, item("transaction", "{broken")))),
  ],
]

const get = (headers: Record<string, string>) =>
  new Request("http://localhost/", { headers: { host: "localhost", ...headers } })

describe("health counts", () => {
  test.each(FAULTS)(
    "%s under %s, %i, and stays ok, since the inspector itself works",
    async (_what, reason, count, act) => {
      const { receiver } = await startReceiver({ waitingSpanLimit: 10 })
      await act(receiver)
      const { status, report } = await healthOf(receiver)
      expect(report.dropped).toStrictEqual({ [reason]: count })
      expect([status, report.status]).toStrictEqual([200, "ok"])
    },
  )

  test("nothing that a client reports: anyone can report any number", async () => {
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

  test("a wrong token", async () => {
    const { receiver } = await startReceiver({ token: secret("0123456789abcdef") })
    await receiver.traces(post(BODY, { authorization: "Bearer guessed" }))
    expect((await healthOf(receiver)).report.dropped).toStrictEqual({ unauthorized: 1 })
  })

  test("a body that does not arrive", async () => {
    const { receiver } = await startReceiver({ bodyDeadlineMs: 20 })
    await receiver.traces(post(new ReadableStream({ start() {} })))
    const { dropped } = (await healthOf(receiver)).report
    expect(Object.values(dropped)).toStrictEqual([1])
  })

  test("records that are refused while the queue is full", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 10 })
    sink.isDown = true
    await receiver.ingest({ spans: spanRecords(8) })
    await receiver.traces(post(encodeJson(request(...spans(5)))))
    await receiver.envelope(
      post(envelope({}, item("event", errorEvent()), item("event", errorEvent()), item("event", errorEvent()))),
    )
    expect((await healthOf(receiver)).report.dropped).toStrictEqual({ store_unavailable: 8 })
  })
})

describe("health reports a problem", () => {
  test("while the store is down, before any record is refused", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 10 })
    sink.isDown = true
    expect(await healthOf(receiver)).toMatchObject({ status: 503, report: { status: "down", dropped: {} } })
    expect((await receiver.traces(post(BODY))).status).toBe(200)
    sink.isDown = false
    await sink.until(({ spans: stored }) => stored.length === 1)
    expect((await healthOf(receiver)).status).toBe(200)
  })

  test.each(["starting", "down", "closed"] as const)("while the store is %s", async (state) => {
    const { receiver } = await startReceiver({ storeState: () => state })
    expect(await healthOf(receiver)).toMatchObject({ status: 503, report: { status: state } })
  })

  test("while nothing can be written, and is ok again when it can", async () => {
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

  test("when the store is slower than its input, before any span is refused", async () => {
    const { receiver, sink } = await startReceiver({ waitingSpanLimit: 100, drainLimitMs: 20 })
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
