import { once } from "node:events"
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { createEgress, type EgressAnswer } from "#otel/inspector/forward/egress.ts"
import { createForwarder } from "#otel/inspector/forward/forwarder.ts"
import { tracesToJson } from "#otel/protocol/otlp/traces-json.ts"
import { secret } from "#otel/protocol/secret.ts"
import { splitEnvelope } from "#otel/protocol/sentry/split-envelope.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { envelopeText } from "../../sdk/tunnel/tunnel-runtime.ts"
import { A, answered, B, forwarder, spans, spansIn } from "./forwarder-under-test.ts"

function typesIn(body: Uint8Array): string[] {
  const envelope = splitEnvelope(body)
  return envelope.ok ? envelope.items.map(({ type }) => type) : []
}

describe("forwarding", () => {
  test("sends every collector and, over OTLP, Sentry the records as received", async () => {
    const collector = await new RecordingCollector().listen()
    const sentry = await new RecordingSentry().listen()
    onTestFinished(async () => void (await Promise.all([collector.close(), sentry.close()])))
    const real = createForwarder({
      otlp: [collector.endpoint],
      sentry: secret(sentry.dsn),
      allowedAddresses: ["127.0.0.1"],
      directory: await temporaryDirectory(),
      recordDrop: () => undefined,
    })
    onTestFinished(() => real.close())
    const records = spans(3)
    real.offer({ spans: records })
    real.offer({ envelope: Buffer.from(envelopeText({ dsn: "http://x@y/1" }, ["event", { message: "boom" }])) })
    await waitFor("the spans", () => collector.spans().length === 3)
    await waitFor("both in Sentry", () => sentry.requests.length === 2)
    expect(tracesToJson(collector.spans())).toEqual(tracesToJson(records))
    const [otlp, envelope] = sentry.requests
    expect(otlp?.path).toBe("/api/42/integration/otlp/v1/traces/")
    expect(otlp?.headers["x-sentry-auth"]).toContain("sentry_key=publickey")
    expect(envelope?.path).toMatch(/^\/api\/42\/envelope\/\?/)
    expect(sentry.errors()).toEqual([{ message: "boom" }])
    expect(sentry.envelopes()[0]?.header).toEqual({})
  })

  test("does not send Sentry the spans of an envelope a second time", async () => {
    const { offer, sent, settled } = await forwarder({ otlp: [A], sentry: secret("http://k@s.example/1") }, () =>
      answered(200),
    )
    offer({ spans: [...spans(1, "otlp"), ...spans(1, "sentry")] })
    await settled()
    await waitFor("both", () => sent.length === 2)
    expect(sent.map((request) => [new URL(request.url).host, spansIn(request)]).toSorted()).toEqual([
      ["a.example", 2],
      ["s.example", 1],
    ])
  })

  test("does not connect to a private address unless it is configured, and counts the drops", async () => {
    const drops: string[] = []
    const real = createForwarder({
      otlp: ["http://169.254.169.254/latest"],
      sentry: undefined,
      allowedAddresses: [],
      directory: await temporaryDirectory(),
      recordDrop: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
    })
    onTestFinished(() => real.close())
    real.offer({ spans: spans(2) })
    await waitFor("the drop", () => drops.length > 0)
    expect(drops).toEqual(["foreign_host/span=2"])
  })
})

describe("a failed delivery", () => {
  const STATUSES = Array.from({ length: 400 }, (_, index) => index + 200)
  const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504])

  test.each([
    ["a collector", { otlp: [A] }],
    ["Sentry", { otlp: [], sentry: secret("http://k@s.example/1") }],
  ])(
    "with any status from 200 to 599 from %s is retried if the status is retryable, and counted otherwise",
    async (_, to) => {
      await Promise.all(
        STATUSES.map(async (status) => {
          const { offer, delivered, sent, dropped, settled } = await forwarder(to, (_request, attempt) =>
            answered(attempt < 3 ? status : 200, { "x-sentry-rate-limits": "0:monitor:org" }),
          )
          offer({ spans: spans(2) })
          await settled()
          await waitFor("the outcome", () => delivered.length + dropped().length > 0)
          const outcome = { status, tries: sent.length, delivered: delivered.length, dropped: dropped() }
          if (status < 300) expect(outcome).toEqual({ status, tries: 1, delivered: 1, dropped: [] })
          else if (RETRIED.has(status)) expect(outcome).toEqual({ status, tries: 3, delivered: 1, dropped: [] })
          else expect(outcome).toEqual({ status, tries: 1, delivered: 0, dropped: ["send_error/span=2"] })
        }),
      )
    },
  )

  test("after a network error is retried with growing waits until it expires", async () => {
    const { offer, waits, dropped, settled } = await forwarder({ maxAgeMs: 120_000 }, () => ({ outcome: "failed" }))
    offer({ spans: spans(2) })
    await settled()
    expect(waits.slice(0, 4)).toEqual([5_000, 7_500, 11_250, 16_875])
    // The file is gone a moment before the drop is counted.
    await waitFor("the drop", () => dropped().length > 0)
    expect(dropped()).toEqual(["expired/span=2"])
  })

  test("with Retry-After is not retried before that time", async () => {
    const { offer, waits, settled } = await forwarder({}, (_, attempt) =>
      attempt === 1 ? answered(503, { "retry-after": "77" }) : answered(200),
    )
    offer({ spans: spans(1) })
    await settled()
    expect(waits).toEqual([77_000])
  })

  test("to one destination neither delays nor drops those to another", async () => {
    let release: (() => void) | undefined
    const hang = new Promise<EgressAnswer>((resolve) => (release = () => resolve({ outcome: "failed" })))
    const { offer, delivered } = await forwarder({ otlp: [A, B] }, ({ url }) =>
      url.startsWith(A) ? hang : answered(200),
    )
    for (let batch = 0; batch < 20; batch++) offer({ spans: spans(1) })
    await waitFor("all at the other", () => delivered.length === 20)
    expect(delivered.every(({ url }) => url.startsWith(B))).toBe(true)
    release?.()
  })
})

describe("a rate limit from Sentry", () => {
  test("applies to its category only, and counts what it drops", async () => {
    const { offer, sent, dropped, settled } = await forwarder(
      { otlp: [], sentry: secret("http://k@s.example/1") },
      (_, attempt) =>
        attempt === 1 ? answered(429, { "x-sentry-rate-limits": "60:error:organization" }) : answered(200),
    )
    const both = envelopeText({}, ["event", { message: "boom" }], ["transaction", { transaction: "a" }])
    offer({ envelope: Buffer.from(both) })
    await settled()
    const types = sent.map(({ body }) => typesIn(body))
    expect(types).toEqual([["event", "transaction"], ["transaction"]])
    expect(dropped()).toEqual(["ratelimit_backoff/error=1"])
  })

  test("ends after its time", async () => {
    const { offer, sent, dropped, settled, tick } = await forwarder(
      { otlp: [], sentry: secret("http://k@s.example/1") },
      (_, attempt) =>
        attempt === 1 ? answered(200, { "x-sentry-rate-limits": "60:error:organization" }) : answered(200),
    )
    const event = Buffer.from(envelopeText({}, ["event", { message: "boom" }]))
    offer({ envelope: event })
    await settled()
    offer({ envelope: event })
    await waitFor("the drop", () => dropped().length === 1)
    tick(61_000)
    offer({ envelope: event })
    await waitFor("the third", () => sent.length === 2)
    expect(dropped()).toEqual(["ratelimit_backoff/error=1"])
  })
})

describe("the queue", () => {
  const down = (): EgressAnswer => ({ outcome: "failed" })

  test("drops the oldest delivery when it is full, counts it, and retains the one in flight", async () => {
    const bytes = JSON.stringify(tracesToJson(spans(1))).length
    let release: (() => void) | undefined
    const hang = new Promise<EgressAnswer>((resolve) => (release = () => resolve(answered(200))))
    const { offer, sent, dropped, waiting, delivered } = await forwarder({ maxBytes: bytes * 3 }, () => hang)
    offer({ spans: spans(1) })
    await waitFor("the first in flight", () => sent.length === 1)
    for (let batch = 0; batch < 4; batch++) offer({ spans: spans(1) })
    await waitFor("the drops", () => dropped().length === 2)
    expect(dropped()).toEqual(["queue_overflow/span=1", "queue_overflow/span=1"])
    const files = () => waiting().map((name) => /(\d+)-/.exec(String(name))?.[1]?.replace(/^0+/, ""))
    // The drop is counted before the delivery that caused it is on the disk.
    await waitFor("the files of the three", () => files().toSorted().join() === "1,4,5")
    release?.()
    await waitFor("the rest", () => delivered.length === 3)
  })

  test("refuses a delivery at once that can never fit", async () => {
    const { offer, dropped, waiting } = await forwarder({ maxBytes: 10 }, down)
    offer({ spans: spans(4) })
    await waitFor("the drop", () => dropped().length === 1)
    expect([dropped(), waiting()]).toEqual([["too_large/span=4"], []])
  })

  test("outlives the process: the next one sends its deliveries", async () => {
    const directory = await temporaryDirectory()
    const first = await forwarder({ directory }, down)
    for (let batch = 0; batch < 3; batch++) first.offer({ spans: spans(2) })
    await waitFor("the queue", () => first.waiting().length === 3)
    await first.close()
    expect(first.dropped()).toEqual([])
    const second = await forwarder({ directory }, () => answered(200))
    await waitFor("all of it", () => second.delivered.length === 3)
    expect(second.delivered.map(spansIn)).toEqual([2, 2, 2])
  })

  test("retains the deliveries that a clean stop leaves for the next start", async () => {
    for (let round = 0; round < 20; round++) {
      const directory = await temporaryDirectory()
      let answer: (() => void) | undefined
      const first = await forwarder(
        { directory },
        () => new Promise((resolve) => (answer = () => resolve(answered(200)))),
      )
      for (let batch = 0; batch < 5; batch++) first.offer({ spans: spans(1) })
      await waitFor("the first in flight", () => first.sent.length === 1 && first.waiting().length === 5)
      const closed = first.close()
      answer?.()
      await closed
      const second = await forwarder({ directory }, () => answered(200))
      await second.settled()
      expect([first.delivered.length, second.delivered.length, first.dropped(), second.dropped()]).toEqual([
        1,
        4,
        [],
        [],
      ])
    }
  })

  test("a stop does not wait for a destination that never answers, and leaves the delivery to the next start", async () => {
    const silent = createServer(() => {})
    onTestFinished(() => {
      silent.close()
      silent.closeAllConnections()
    })
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const { port } = silent.address() as AddressInfo
    const directory = await temporaryDirectory()
    const otlp = [`http://127.0.0.1:${port}`]
    // Without an end by itself, the request holds a stop that waits for it until the limit of this test.
    const send = createEgress({ mayReach: () => true, timeoutMs: 3_600_000 })
    const first = await forwarder({ directory, otlp, send }, () => answered(200))
    const asked = once(silent, "request")
    first.offer({ spans: spans(3) })
    await asked
    await first.close()
    const second = await forwarder({ directory, otlp }, () => answered(200))
    await second.settled()
    expect([second.delivered.map(spansIn), first.dropped(), second.dropped()]).toEqual([[3], [], []])
  })

  test.each([
    ["a foreign file", () => "notes.txt", "notes", "malformed/default=1"],
    ["a directory", () => "000000000001-x/", "", "malformed/default=1"],
    ["a file truncated by a kill", (own: string) => `${own}.unfinished`, "{", "malformed/span=2"],
    ["a damaged file", (own: string) => own, "{", "malformed/span=2"],
    ["an empty file, as a power failure leaves it", (own: string) => own, "", "malformed/span=2"],
  ])("that contains %s is opened, and the drop is counted", async (_, nameOf, content, drop) => {
    const directory = await temporaryDirectory()
    const first = await forwarder({ directory }, down)
    for (let batch = 0; batch < 2; batch++) first.offer({ spans: spans(2) })
    await waitFor("the queue", () => first.waiting().length === 2)
    await first.close()
    const [folder = ""] = readdirSync(directory)
    const [own = ""] = readdirSync(join(directory, folder)).toSorted()
    const name = nameOf(own)
    if (name.endsWith("/")) mkdirSync(join(directory, folder, name))
    else writeFileSync(join(directory, folder, name), content)
    if (name.endsWith(".unfinished")) rmSync(join(directory, folder, own))
    const second = await forwarder({ directory }, () => answered(200))
    await second.settled()
    await waitFor("the drop", () => second.dropped().length > 0)
    expect(second.dropped()).toEqual([drop])
    expect(second.delivered.map(spansIn)).toEqual(drop === "malformed/default=1" ? [2, 2] : [2])
    expect(readdirSync(join(directory, folder))).toEqual([])
  })

  test("adopts a file that was complete but not renamed when the process was killed", async () => {
    const directory = await temporaryDirectory()
    const first = await forwarder({ directory }, down)
    first.offer({ spans: spans(3) })
    await waitFor("the queue", () => first.waiting().length === 1)
    await first.close()
    const [folder = ""] = readdirSync(directory)
    const [own = ""] = readdirSync(join(directory, folder))
    renameSync(join(directory, folder, own), join(directory, folder, `${own}.unfinished`))
    const second = await forwarder({ directory }, () => answered(200))
    await second.settled()
    expect([second.delivered.map(spansIn), second.dropped()]).toEqual([[3], []])
  })
})
