import { describe, expect, test } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { recordingSentry, upstream } from "./sentry-upstream.ts"
import { envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

const EVENT: [string, object] = ["event", { message: "boom" }]

describe("drops of a page", () => {
  const REPORT: [string, object] = [
    "client_report",
    { discarded_events: [{ reason: "ratelimit_backoff", category: "error", quantity: 3 }] },
  ]

  async function dropsAfter(header: string | undefined, ...items: [string, object][]) {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    await tunnelHandler(post(envelopeText({}, ...items), header === undefined ? {} : { "pagespan-drops": header }))
    return drops()
  }

  test("are reported in a header of any delivery, and counted with their own reasons", async () => {
    expect(await dropsAfter("k1:noisy_error/error=2,queue_overflow/span=40", EVENT)).toEqual([
      "page noisy_error/error=2",
      "page queue_overflow/span=40",
    ])
  })

  test("are counted once by id, however often a page resends them before it gets the response", async () => {
    const { drops } = tunnelRuntime({ SENTRY_DSN: (await recordingSentry()).dsn })
    for (const header of [
      "k2:noisy_error/error=1",
      "k2:noisy_error/error=1;k3:too_large/span=5",
      "k3:too_large/span=5",
    ])
      expect((await tunnelHandler(post(envelopeText({}, EVENT), { "pagespan-drops": header }))).status).toBe(204)
    expect(drops()).toEqual(["page noisy_error/error=1", "page too_large/span=5"])
  })

  test("are counted when their delivery succeeds, and resent by the page until then", async () => {
    const dsn = await upstream((response) => void response.writeHead(503).end())
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const header = { "pagespan-drops": "k4:noisy_error/error=2" }
    expect((await tunnelHandler(post(envelopeText({}, EVENT), header))).status).toBe(503)
    expect(drops()).toEqual(["tunnel send_error/error=1"])
    const spans = { ...header, "content-type": "application/json" }
    expect((await tunnelHandler(post(`{"resourceSpans":[]}`, spans))).status).toBe(204)
    expect(drops()).toEqual(["tunnel send_error/error=1", "page noisy_error/error=2"])
  })

  test.each([
    ["a body over the limit, of spans", "application/json", { "content-length": "20971521" }, 413, []],
    ["a body over the limit, of an envelope", "text/plain", { "content-length": "20971521" }, 413, []],
    ["malformed spans", "application/json", {}, 400, []],
    ["a malformed envelope", "text/plain", {}, 400, ["tunnel malformed/default=1"]],
  ])("are not counted a second time for %s, which the page counts", async (_, type, headers, status, expected) => {
    const { drops } = tunnelRuntime({ SENTRY_DSN: "http://key@127.0.0.1:9/1" })
    const request = post("hello", { ...headers, "content-type": type, "pagespan-drops": "k5:noisy_error/error=2" })
    expect((await tunnelHandler(request)).status).toBe(status)
    expect(drops()).toEqual(expected)
  })

  test("of a stream of spans that Sentry refuses are counted in spans", async () => {
    const dsn = await upstream((response) => void response.writeHead(500).end())
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const items = Array.from({ length: 40 }, () => ({}))
    const body = [{ dsn }, { type: "span", item_count: 40 }, { version: 2, items }].map((part) => JSON.stringify(part))
    await tunnelHandler(post(body.join("\n")))
    expect(drops()).toEqual(["tunnel send_error/span=40"])
  })

  test("are no more than the envelope has room for, whatever number a visitor writes", async () => {
    const dsn = await upstream((response) => void response.writeHead(500).end())
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const claims = Array.from({ length: 50 }, () => `{"type":"span","item_count":100000}\n{}`)
    await tunnelHandler(post([JSON.stringify({ dsn }), ...claims].join("\n")))
    expect(drops()).toEqual(Array.from({ length: 50 }, () => "tunnel send_error/span=1"))
  })

  test("are reported with spans too", async () => {
    const { drops } = tunnelRuntime({})
    const headers = { "content-type": "application/json", "pagespan-drops": "k6:page_left/span=1" }
    expect((await tunnelHandler(post(`{"resourceSpans":[]}`, headers))).status).toBe(204)
    expect(drops()).toEqual(["page page_left/span=1"])
  })

  test("are counted from a Sentry client's report, by its reasons", async () => {
    expect(await dropsAfter(undefined, REPORT)).toEqual(["page ratelimit_backoff/error=3"])
  })

  test("are counted once if the page reports them itself", async () => {
    expect(await dropsAfter("", REPORT)).toEqual([])
  })

  test.each([
    "nonsense",
    "noisy_error/error=1",
    "k7:",
    "K7:noisy_error/error=1",
    "k7:noisy_error/error=1;",
    "k7:noisy_error/error=1;nonsense",
    "k7:k7:noisy_error/error=1",
    "k7:noisy_error/error=0",
    "k7:noisy_error/error=-1",
    "k7:noisy_error/error=1.5",
    "k7:noisy_error/error=9999999",
    "k7:no_such_reason/error=1",
    "k7:noisy_error/no_such_category=1",
    "k7:__proto__/error=1",
    "k7:noisy_error/error=1,",
    "k7:noisy_error/error=1, noisy_error/error=1",
    `k7:${"noisy_error/error=1,".repeat(500)}noisy_error/error=1`,
  ])("are not accepted from a malformed header: %s", async (header) => {
    expect(await dropsAfter(header, EVENT)).toEqual(["tunnel malformed/internal=1"])
  })
})
