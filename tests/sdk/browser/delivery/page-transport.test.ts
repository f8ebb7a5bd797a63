import type { Envelope } from "@sentry/core"
import { describe, expect, test } from "vitest"
import { PageTransport } from "#otel/sdk/browser/delivery/page-transport.ts"
import { QUEUED_ENVELOPE_LIMIT } from "#otel/protocol/limits.ts"

type Answer = Response | Error

const accepted = () => new Response()
const refusedWith = (status: number, headers: HeadersInit = {}) => new Response(null, { status, headers })

/** The transport of a page. Only its network is replaced. */
function pageTransport(answer: () => Answer | Promise<Answer>, isTunnelled = false) {
  const bodies: string[] = []
  const lost: string[] = []
  const refused: string[] = []
  const transport = new PageTransport({
    url: "https://sentry.example/envelope",
    fetch: async (_, { body } = {}) => {
      const answered = await answer()
      if (answered instanceof Error) throw answered
      if (answered.ok) bodies.push(String(body))
      return answered
    },
    isTunnelled: () => isTunnelled,
    lost: (reason, category, count) => lost.push(`${reason}/${category}=${count}`),
    refused: (reason, category, count) => refused.push(`${reason}/${category}=${count}`),
  })
  return { bodies, lost, refused, send: (envelope: unknown) => transport.send(envelope as Envelope) }
}

const envelope = (type: string, payload: object = {}) => [{}, [[{ type }, payload]]]
const error = envelope("event")
const container = [{}, [[{ type: "span", item_count: 7 }, { items: [] }]]]
const lateSpans = [{}, [1, 2, 3].map((id) => [{ type: "span" }, { id }])]
const report = envelope("client_report")

describe("an envelope of a page that Sentry does not take is counted by reason:", () => {
  test.each([400, 401, 403, 404, 500, 502, 503])("a refusal with %i, which Sentry knows of", async (status) => {
    const { send, bodies, lost, refused } = pageTransport(() => refusedWith(status))
    await send(error)
    expect([bodies, lost, refused]).toEqual([[], [], ["send_error/error=1"]])
  })

  test("no response, because nothing is there to send it to", async () => {
    const { send, lost, refused } = pageTransport(() => Response.error())
    await send(error)
    expect([lost, refused]).toEqual([[], ["send_error/error=1"]])
  })

  test("one that is too large", async () => {
    const { send, lost, refused } = pageTransport(() => refusedWith(413), true)
    await send(error)
    expect([lost, refused]).toEqual([["send_error/error=1"], []])
  })

  test("a failure of the network", async () => {
    const { send, lost, refused } = pageTransport(() => new Error("gone"))
    await send(error)
    expect([lost, refused]).toEqual([["network_error/error=1"], []])
  })

  test("a limit of Sentry's for its category, and no other envelope is kept from it", async () => {
    const limits = { "x-sentry-rate-limits": "60:error:organization" }
    const { send, bodies, lost, refused } = pageTransport(() =>
      bodies.length === 0 ? accepted() : refusedWith(429, limits),
    )
    for (const each of [error, error, error, envelope("transaction")]) await send(each)
    expect(bodies).toHaveLength(1)
    expect(lost).toEqual(["ratelimit_backoff/error=1"])
    expect(refused).toEqual(["ratelimit_backoff/error=1", "ratelimit_backoff/transaction=1"])
  })

  test("more of them at a time than may wait", async () => {
    const { send, bodies, lost } = pageTransport(accepted)
    const sends = Array.from({ length: QUEUED_ENVELOPE_LIMIT + 3 }, () => send(error))
    await Promise.all(sends)
    expect(lost).toEqual(Array.from({ length: 3 }, () => "queue_overflow/error=1"))
    await send(error)
    expect(bodies).toHaveLength(QUEUED_ENVELOPE_LIMIT + 1)
  })

  test("except a response of the tunnel, which has counted it", async () => {
    const { send, lost, refused } = pageTransport(() => refusedWith(502), true)
    await send(error)
    expect([lost, refused]).toEqual([[], []])
  })

  test("the spans of a container, and each of several spans", async () => {
    const { send, lost } = pageTransport(() => new Error("gone"))
    for (const each of [container, lateSpans]) await send(each)
    expect(lost).toEqual(["network_error/span=7", "network_error/span=3"])
  })

  test("and a report of drops never is", async () => {
    for (const answer of [() => new Error("gone"), () => refusedWith(413), () => refusedWith(500)]) {
      const { send, lost, refused } = pageTransport(answer)
      await send(report)
      expect([lost, refused]).toEqual([[], []])
    }
  })

  test("each exactly once, over random faults", async () => {
    for (let round = 0; round < 60; round++) {
      const answer = async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
        const roll = Math.random()
        if (roll < 0.2) return new Error("gone")
        if (roll < 0.4) return refusedWith(429, { "retry-after": "0" })
        return roll < 0.6 ? refusedWith(500) : accepted()
      }
      const { send, bodies, lost, refused } = pageTransport(answer)
      const sent = QUEUED_ENVELOPE_LIMIT + Math.floor(Math.random() * 30)
      await Promise.all(Array.from({ length: sent }, () => send(error)))
      expect(bodies.length + lost.length + refused.length).toBe(sent)
    }
  })
})

describe("an envelope of a page", () => {
  test("is requested at once: a page that is left does not wait", () => {
    let isRequested = false
    const { send } = pageTransport(() => {
      isRequested = true
      return accepted()
    })
    void send(error)
    expect(isRequested).toBe(true)
  })

  test("has a line for its header and two for each item", async () => {
    const { send, bodies } = pageTransport(accepted)
    await send(lateSpans)
    const span = '{"type":"span"}'
    expect(bodies[0]?.split("\n")).toEqual(["{}", span, '{"id":1}', span, '{"id":2}', span, '{"id":3}'])
  })

  test("is sent if the app has added what JSON has no form for", async () => {
    const { send, bodies } = pageTransport(accepted)
    const circular: { self?: object } = {}
    circular.self = circular
    await send(envelope("event", { message: "boom", tags: { size: 1n, circular } }))
    expect(JSON.parse(bodies[0]?.split("\n")[2] ?? "")).toEqual({
      message: "boom",
      tags: { size: "[BigInt: 1]", circular: { self: "[Circular ~]" } },
    })
  })
})
