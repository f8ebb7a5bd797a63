import { describe, expect, test } from "vitest"
import { sentryClient } from "./sentry-client.ts"

async function fill(count: number, options: Parameters<typeof sentryClient>[0]) {
  const sentry = sentryClient(options)
  for (let index = 0; index < count; index++) sentry.capture(new Error(`error ${index}`))
  await sentry.flush()
  const lost = sentry.drops.reduce((sum, drop) => sum + Number(drop.split("=")[1]), 0)
  return { delivered: sentry.items.length, lost, reasons: new Set(sentry.drops.map((drop) => drop.split("=")[0])) }
}

describe("what a Sentry client drops is counted by reason", () => {
  test("an answer that refuses", async () => {
    for (const statusCode of [400, 401, 403, 404, 413, 500, 502, 503]) {
      const { delivered, lost, reasons } = await fill(3, { answer: () => ({ statusCode }) })
      expect([statusCode, delivered, lost, [...reasons]]).toEqual([statusCode, 0, 3, ["send_error/error"]])
    }
  })

  test("a rate limit, by the answer that sets it and by what is held back after it", async () => {
    const { delivered, lost, reasons } = await fill(5, { answer: () => ({ statusCode: 429 }) })
    expect([delivered, lost, [...reasons]]).toEqual([0, 5, ["ratelimit_backoff/error"]])
  })

  test("but an answer of the tunnel, which has counted by then, is not counted again", async () => {
    const { delivered, lost } = await fill(3, { answer: () => ({ statusCode: 502 }), isTunnelled: true })
    expect([delivered, lost]).toEqual([0, 0])
  })

  test("a network that fails", async () => {
    const { delivered, lost, reasons } = await fill(4, { answer: () => Promise.reject(new Error("gone")) })
    expect([delivered, lost, [...reasons]]).toEqual([0, 4, ["network_error/error"]])
  })

  test("a queue that is full", async () => {
    const { delivered, lost, reasons } = await fill(20, { bufferSize: 5 })
    expect([delivered + lost, [...reasons]]).toEqual([20, ["queue_overflow/error"]])
    expect(lost).toBeGreaterThan(0)
  })

  test("a processor of somebody else's", async () => {
    const sentry = sentryClient()
    sentry.client.addEventProcessor(() => null)
    sentry.capture(new Error("boom"))
    await sentry.flush()
    expect(sentry.drops).toEqual(["event_processor/error=1"])
  })

  test("sent is delivered and lost, over random faults", async () => {
    for (let round = 0; round < 60; round++) {
      const sent = 1 + Math.floor(Math.random() * 30)
      const answer = () => {
        const roll = Math.random()
        if (roll < 0.2) return Promise.reject(new Error("gone"))
        if (roll < 0.4) return { statusCode: 429, headers: { "retry-after": "0", "x-sentry-rate-limits": null } }
        return { statusCode: roll < 0.6 ? 500 : 200 }
      }
      const filters = { ignoreErrors: [/7$/], beforeSend: (event: never) => (Math.random() < 0.1 ? null : event) }
      const { delivered, lost } = await fill(sent, { answer, bufferSize: 8, filters })
      expect(delivered + lost).toBe(sent)
    }
  })
})
