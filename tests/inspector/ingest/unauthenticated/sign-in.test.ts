import { describe, expect, test } from "vitest"
import { GuessLimit } from "#otel/inspector/ingest/http/guess-limit.ts"
import { secret } from "#otel/protocol/secret.ts"
import { post, serve, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TOKEN = "correcthorsebatterystaple"
const FORM = { "content-type": "application/x-www-form-urlencoded" }

async function start() {
  const clock = { now: 1_790_000_000_000 }
  const started = await startReceiver({ token: secret(TOKEN), clock: () => clock.now })
  const present = async (token: string, address?: string) => {
    const request = post(`token=${token}`, FORM, "/sign-in")
    return started.receiver.signIn.handler(address === undefined ? request : Object.assign(request, { address }))
  }
  const statusOf = async (token: string, address?: string) => (await present(token, address)).status
  return { ...started, clock, present, statusOf }
}

describe("guessing a token", () => {
  test("is limited after five wrong tokens from an address, also for the right token, and for no other address", async () => {
    const { clock, present, statusOf, receiver } = await start()
    for (let guess = 0; guess < 5; guess += 1) expect(await statusOf(`wrong${guess}`, "192.0.2.1")).toBe(401)
    const limited = await present(TOKEN, "192.0.2.1")
    expect([limited.status, limited.headers.get("retry-after"), limited.headers.get("set-cookie")]).toStrictEqual([
      429,
      "10",
      null,
    ])
    expect(await limited.text()).toContain("Too many wrong tokens. Try again in 10 s.")
    expect(await statusOf(TOKEN, "192.0.2.2")).toBe(200)
    clock.now += 9_999
    expect(await statusOf(TOKEN, "192.0.2.1")).toBe(429)
    clock.now += 1
    expect(await statusOf(TOKEN, "192.0.2.1")).toBe(200)
    expect(receiver.drops.totals()).toStrictEqual({ unauthorized: 7 })
  })

  test("from one address has one attempt in ten seconds, however long it continues", async () => {
    const { clock, statusOf } = await start()
    let compared = 0
    for (let second = 0; second < 600; second += 1, clock.now += 1_000)
      for (let guess = 0; guess < 10; guess += 1)
        if ((await statusOf(`wrong${guess}`, "192.0.2.1")) === 401) compared += 1
    expect(compared).toBe(5 + 59)
  })

  test("from any number of addresses has one attempt per second", async () => {
    const { clock, statusOf } = await start()
    let compared = 0
    for (let second = 0; second < 60; second += 1, clock.now += 1_000)
      for (let guess = 0; guess < 50; guess += 1)
        if ((await statusOf("wrong", `198.51.${second}.${guess}`)) === 401) compared += 1
    expect(compared).toBe(60 + 59)
  })

  test("in the URL of a screen has the same limit", async () => {
    const { receiver, statusOf } = await start()
    const open = (token: string) =>
      receiver.signIn.guard(
        Object.assign(new Request(`http://localhost/traces?token=${token}`, { headers: { accept: "text/html" } }), {
          address: "192.0.2.1",
        }),
      )?.status
    const guesses = Array.from({ length: 6 }, (_, guess) => open(`wrong${guess}`))
    expect(guesses).toStrictEqual([401, 401, 401, 401, 401, 429])
    expect([open(TOKEN), await statusOf(TOKEN, "192.0.2.1")]).toStrictEqual([429, 429])
  })

  test.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::99", true],
    ["2001:db8::1", "2001:db8:0:0:ffff::1", true],
    ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
    ["::ffff:192.0.2.1", "192.0.2.1", true],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
    ["::1", "127.0.0.1", false],
    [undefined, undefined, true],
  ])("counts %s and %s as one sender: %s", (one, other, isOne) => {
    const limit = new GuessLimit(() => 0)
    for (let guess = 0; guess < 5; guess += 1) limit.wrong(one)
    expect(limit.waitSeconds(other) > 0).toBe(isOne)
  })
})

describe("the sign-in reads at most 4 KiB", () => {
  test.each([
    ["4 KiB", 4_096, {}, 401],
    ["a byte more", 4_097, {}, 413],
    ["a declared length beyond it", 0, { "content-length": "4097" }, 413],
    ["a megabyte", 1_048_576, {}, 413],
  ])("%s", async (_name, bytes, headers, status) => {
    const { receiver } = await start()
    const body = bytes === 0 ? undefined : `token=${"x".repeat(bytes - 6)}`
    const answer = await receiver.signIn.handler(post(body, { ...FORM, ...headers }, "/sign-in"))
    expect(answer.status).toBe(status)
    expect(receiver.bodies.reserved).toBe(0)
  })

  test("over HTTP, by the address of the socket", async () => {
    const { receiver } = await start()
    const url = await serve((request) => receiver.signIn.handler(request))
    const present = async () => (await fetch(url, { method: "POST", headers: FORM, body: "token=wrong" })).status
    for (let guess = 0; guess < 5; guess += 1) expect(await present()).toBe(401)
    expect(await present()).toBe(429)
  })
})
