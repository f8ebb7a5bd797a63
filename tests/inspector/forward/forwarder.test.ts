import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import type { EgressAnswer } from "#otel/inspector/forward/egress.ts"
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
  test("sends the very spans to every collector and, by OTLP, to Sentry", async () => {
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

  test("does not send Sentry a span twice that came in an envelope", async () => {
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

  test("connects to no private address that is not configured, and counts what it could not send", async () => {
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

describe("a failure", () => {
  const STATUSES = Array.from({ length: 400 }, (_, index) => index + 200)
  const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504])

  test.each([
    ["a collector", { otlp: [A] }],
    ["Sentry", { otlp: [], sentry: secret("http://k@s.example/1") }],
  ])("of any status from 200 to 599 is tried again exactly where it may be, by %s, and else counted", async (_, to) => {
    await Promise.all(
      STATUSES.map(async (status) => {
        const { offer, delivered, sent, lost, settled } = await forwarder(to, (_request, attempt) =>
          answered(attempt < 3 ? status : 200, { "x-sentry-rate-limits": "0:monitor:org" }),
        )
        offer({ spans: spans(2) })
        await settled()
        await waitFor("the outcome", () => delivered.length + lost().length > 0)
        const outcome = { status, tries: sent.length, delivered: delivered.length, lost: lost() }
        if (status < 300) expect(outcome).toEqual({ status, tries: 1, delivered: 1, lost: [] })
        else if (RETRIED.has(status)) expect(outcome).toEqual({ status, tries: 3, delivered: 1, lost: [] })
        else expect(outcome).toEqual({ status, tries: 1, delivered: 0, lost: ["send_error/span=2"] })
      }),
    )
  })

  test("of the network is tried again, later each time, until the delivery is too old", async () => {
    const { offer, waits, lost, settled } = await forwarder({ maxAgeMs: 120_000 }, () => ({ outcome: "failed" }))
    offer({ spans: spans(2) })
    await settled()
    expect(waits.slice(0, 4)).toEqual([5_000, 7_500, 11_250, 16_875])
    expect(lost()).toEqual(["expired/span=2"])
  })

  test("that names a time is tried again no earlier", async () => {
    const { offer, waits, settled } = await forwarder({}, (_, attempt) =>
      attempt === 1 ? answered(503, { "retry-after": "77" }) : answered(200),
    )
    offer({ spans: spans(1) })
    await settled()
    expect(waits).toEqual([77_000])
  })

  test("of one destination neither delays nor loses what another gets", async () => {
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

describe("a rate limit of Sentry's", () => {
  test("holds back its category alone, counted", async () => {
    const { offer, sent, lost, settled } = await forwarder(
      { otlp: [], sentry: secret("http://k@s.example/1") },
      (_, attempt) =>
        attempt === 1 ? answered(429, { "x-sentry-rate-limits": "60:error:organization" }) : answered(200),
    )
    const both = envelopeText({}, ["event", { message: "boom" }], ["transaction", { transaction: "a" }])
    offer({ envelope: Buffer.from(both) })
    await settled()
    const types = sent.map(({ body }) => typesIn(body))
    expect(types).toEqual([["event", "transaction"], ["transaction"]])
    expect(lost()).toEqual(["ratelimit_backoff/error=1"])
  })

  test("ends when its time is over", async () => {
    const { offer, sent, lost, settled, tick } = await forwarder(
      { otlp: [], sentry: secret("http://k@s.example/1") },
      (_, attempt) =>
        attempt === 1 ? answered(200, { "x-sentry-rate-limits": "60:error:organization" }) : answered(200),
    )
    const event = Buffer.from(envelopeText({}, ["event", { message: "boom" }]))
    offer({ envelope: event })
    await settled()
    offer({ envelope: event })
    await waitFor("the drop", () => lost().length === 1)
    tick(61_000)
    offer({ envelope: event })
    await waitFor("the third", () => sent.length === 2)
    expect(lost()).toEqual(["ratelimit_backoff/error=1"])
  })
})

describe("the queue", () => {
  const down = (): EgressAnswer => ({ outcome: "failed" })

  test("gives up the oldest when it is full, counted, but not one that is on its way", async () => {
    const bytes = JSON.stringify(tracesToJson(spans(1))).length
    let release: (() => void) | undefined
    const hang = new Promise<EgressAnswer>((resolve) => (release = () => resolve(answered(200))))
    const { offer, sent, lost, waiting, delivered } = await forwarder({ maxBytes: bytes * 3 }, () => hang)
    offer({ spans: spans(1) })
    await waitFor("the first on its way", () => sent.length === 1)
    for (let batch = 0; batch < 4; batch++) offer({ spans: spans(1) })
    await waitFor("the drops", () => lost().length === 2)
    expect(lost()).toEqual(["queue_overflow/span=1", "queue_overflow/span=1"])
    const files = () => waiting().map((name) => /(\d+)-/.exec(String(name))?.[1]?.replace(/^0+/, ""))
    expect(files().toSorted()).toEqual(["1", "4", "5"])
    release?.()
    await waitFor("the rest", () => delivered.length === 3)
  })

  test("refuses at once what could never fit", async () => {
    const { offer, lost, waiting } = await forwarder({ maxBytes: 10 }, down)
    offer({ spans: spans(4) })
    await waitFor("the drop", () => lost().length === 1)
    expect([lost(), waiting()]).toEqual([["too_large/span=4"], []])
  })

  test("survives the process: what waited is sent by the next", async () => {
    const directory = await temporaryDirectory()
    const first = await forwarder({ directory }, down)
    for (let batch = 0; batch < 3; batch++) first.offer({ spans: spans(2) })
    await waitFor("the queue", () => first.waiting().length === 3)
    await first.close()
    expect(first.lost()).toEqual([])
    const second = await forwarder({ directory }, () => answered(200))
    await waitFor("all of it", () => second.delivered.length === 3)
    expect(second.delivered.map(spansIn)).toEqual([2, 2, 2])
  })

  test("stops cleanly with whatever is on its way, and leaves the rest to the next start", async () => {
    for (let round = 0; round < 20; round++) {
      const directory = await temporaryDirectory()
      let answer: (() => void) | undefined
      const first = await forwarder(
        { directory },
        () => new Promise((resolve) => (answer = () => resolve(answered(200)))),
      )
      for (let batch = 0; batch < 5; batch++) first.offer({ spans: spans(1) })
      await waitFor("the first on its way", () => first.sent.length === 1 && first.waiting().length === 5)
      const closed = first.close()
      answer?.()
      await closed
      const second = await forwarder({ directory }, () => answered(200))
      await second.settled()
      expect([first.delivered.length, second.delivered.length, first.lost(), second.lost()]).toEqual([1, 4, [], []])
    }
  })

  test.each([
    ["a file that is none of its own", () => "notes.txt", "notes", "malformed/default=1"],
    ["a directory", () => "000000000001-x/", "", "malformed/default=1"],
    ["a file cut short by a kill", (own: string) => `${own}.unfinished`, "{", "malformed/span=2"],
    ["a file that was damaged", (own: string) => own, "{", "malformed/span=2"],
    ["an empty file, as a power cut leaves it", (own: string) => own, "", "malformed/span=2"],
  ])("starts with %s, and counts it", async (_, nameOf, content, drop) => {
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
    expect(second.lost()).toEqual([drop])
    expect(second.delivered.map(spansIn)).toEqual(drop === "malformed/default=1" ? [2, 2] : [2])
    expect(readdirSync(join(directory, folder))).toEqual([])
  })

  test("adopts a file that was whole when the process was killed, before it had its name", async () => {
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
    expect([second.delivered.map(spansIn), second.lost()]).toEqual([[3], []])
  })
})
