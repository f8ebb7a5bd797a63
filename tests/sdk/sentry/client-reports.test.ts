import type { Envelope } from "@sentry/core"
import { describe, expect, test } from "vitest"
import { sentryClient } from "./sentry-client.ts"

async function fill(count: number, options: Parameters<typeof sentryClient>[0]) {
  const sentry = sentryClient(options)
  for (let index = 0; index < count; index++) sentry.capture(new Error(`error ${index}`))
  await sentry.flush()
  const dropped = sentry.drops.reduce((sum, drop) => sum + Number(drop.split("=")[1]), 0)
  return { delivered: sentry.items.length, dropped, reasons: new Set(sentry.drops.map((drop) => drop.split("=")[0])) }
}

describe("a Sentry client's drops are counted by reason:", () => {
  test("a refusal", async () => {
    for (const statusCode of [400, 401, 403, 404, 413, 500, 502, 503]) {
      const { delivered, dropped, reasons } = await fill(3, { answer: () => ({ statusCode }) })
      expect([statusCode, delivered, dropped, [...reasons]]).toEqual([statusCode, 0, 3, ["send_error/error"]])
    }
  })

  test("a rate limit, for the response that sets it and for later items", async () => {
    const { delivered, dropped, reasons } = await fill(5, { answer: () => ({ statusCode: 429 }) })
    expect([delivered, dropped, [...reasons]]).toEqual([0, 5, ["ratelimit_backoff/error"]])
  })

  test("a rate limit of one item, whose envelope Sentry refuses without it", async () => {
    const limit = { statusCode: 200, headers: { "retry-after": null, "x-sentry-rate-limits": "60:error:organization" } }
    const answers = [limit, { statusCode: 400 }]
    const sentry = sentryClient({ answer: () => answers.shift() ?? { statusCode: 200 } })
    sentry.capture(new Error("boom"))
    await sentry.flush()
    const items = [
      [{ type: "event" }, { message: "limited" }],
      [{ type: "transaction" }, { transaction: "GET /" }],
    ]
    await sentry.client.getTransport()?.send([{}, items] as unknown as Envelope)
    expect(sentry.drops).toEqual(["ratelimit_backoff/error=1", "send_error/transaction=1"])
  })

  test("a rate limit of spans, whose envelope is sent without them", async () => {
    const limit = { statusCode: 200, headers: { "retry-after": null, "x-sentry-rate-limits": "60:span:organization" } }
    const answers = [limit]
    const sentry = sentryClient({ answer: () => answers.shift() ?? { statusCode: 200 } })
    sentry.capture(new Error("boom"))
    await sentry.flush()
    const items = [
      [{ type: "span", item_count: 3, content_type: "application/vnd.sentry.items.span.v2+json" }, { items: [] }],
      [{ type: "transaction" }, { transaction: "GET /" }],
    ]
    await sentry.client.getTransport()?.send([{}, items] as unknown as Envelope)
    expect(sentry.drops).toEqual(["ratelimit_backoff/span=3"])
  })

  test("a network failure", async () => {
    const { delivered, dropped, reasons } = await fill(4, { answer: () => Promise.reject(new Error("gone")) })
    expect([delivered, dropped, [...reasons]]).toEqual([0, 4, ["network_error/error"]])
  })

  test("a full queue", async () => {
    const { delivered, dropped, reasons } = await fill(20, { bufferSize: 5 })
    expect([delivered + dropped, [...reasons]]).toEqual([20, ["queue_overflow/error"]])
    expect(dropped).toBeGreaterThan(0)
  })

  test("an event processor of the app", async () => {
    const sentry = sentryClient()
    sentry.client.addEventProcessor(() => null)
    sentry.capture(new Error("boom"))
    await sentry.flush()
    expect(sentry.drops).toEqual(["event_processor/error=1"])
  })

  test("an event is delivered or dropped exactly once, over random faults", async () => {
    for (let round = 0; round < 60; round++) {
      const sent = 1 + Math.floor(Math.random() * 30)
      const answer = () => {
        const roll = Math.random()
        if (roll < 0.2) return Promise.reject(new Error("gone"))
        if (roll < 0.4) return { statusCode: 429, headers: { "retry-after": "0", "x-sentry-rate-limits": null } }
        return { statusCode: roll < 0.6 ? 500 : 200 }
      }
      const filters = { ignoreErrors: [/7$/], beforeSend: (event: never) => (Math.random() < 0.1 ? null : event) }
      const { delivered, dropped } = await fill(sent, { answer, bufferSize: 8, filters })
      expect(delivered + dropped).toBe(sent)
    }
  })
})
