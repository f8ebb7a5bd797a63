import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { COMMAND_USER_AGENT } from "#otel/protocol/transport/inspector-address.ts"
import { type ActiveAttempt, startAttempt, withAttempt } from "#otel/testing/active-attempt.ts"
import { traceNodeRequests, traceOrigins } from "#otel/testing/node-requests.ts"
import { randomIds } from "#otel/testing/trace-ids.ts"

const OWN = `00-${"f".repeat(32)}-${"f".repeat(16)}-01`

/** Records `traceparent` by path. */
const seen = new Map<string, string | undefined>()
let loopback: Server
let other: Server
let listed: Server
let attempt: ActiveAttempt

function answer(request: IncomingMessage, response: ServerResponse): void {
  seen.set(request.url ?? "", request.headers["traceparent"] as string | undefined)
  if (request.url === "/broken") request.socket.destroy()
  if (request.url === "/away") response.writeHead(302, { location: `${originOf(other, "[::ffff:127.0.0.1]")}/target` })
  response.end()
}

function originOf(server: Server, host: string): string {
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

async function listen(): Promise<Server> {
  const server = createServer(answer)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return server
}

/** `[::ffff:127.0.0.1]` reaches this machine, and is no name of it that gets the trace. */
beforeAll(async () => {
  ;[loopback, other, listed] = await Promise.all([listen(), listen(), listen()])
  traceNodeRequests(traceOrigins(originOf(listed, "[::ffff:127.0.0.1]")))
})

afterAll(() => {
  for (const server of [loopback, other, listed]) server.close()
})

beforeEach(() => {
  seen.clear()
  attempt = startAttempt(randomIds(), () => 0)
})

const send = (url: string, headers: Record<string, string> = {}) =>
  withAttempt(attempt, async () => (await fetch(url, { headers })).arrayBuffer())

describe("a request", () => {
  test("of a test has its trace on loopback and at a listed origin, and nowhere else", async () => {
    await send(`${originOf(loopback, "127.0.0.1")}/loopback?token=hunter2`)
    await send(`${originOf(listed, "[::ffff:127.0.0.1]")}/listed`)
    await send(`${originOf(other, "[::ffff:127.0.0.1]")}/other`)
    const [first, second, ...more] = attempt.steps
    expect(more).toEqual([])
    expect(seen.get("/loopback?token=hunter2")).toBe(`00-${attempt.traceId}-${first?.spanId}-01`)
    expect(seen.get("/listed")).toBe(`00-${attempt.traceId}-${second?.spanId}-01`)
    expect(seen.has("/other") && seen.get("/other")).toBeUndefined()
    expect(first).toMatchObject({
      name: "GET /loopback",
      isRequest: true,
      endMs: expect.any(Number),
      attributes: { "http.request.method": "GET", "http.response.status_code": 200 },
    })
    expect(JSON.stringify(attempt)).not.toContain("hunter2")
  })

  test("has its trace at the origins of the test that runs, and no more at those of the one before", async () => {
    const before = traceOrigins(originOf(listed, "[::ffff:127.0.0.1]"))
    onTestFinished(() => traceNodeRequests(before))
    traceNodeRequests(traceOrigins(originOf(other, "[::ffff:127.0.0.1]")))
    await send(`${originOf(listed, "[::ffff:127.0.0.1]")}/no-more`)
    await send(`${originOf(other, "[::ffff:127.0.0.1]")}/now`)
    expect(seen.has("/no-more") && seen.get("/no-more")).toBeUndefined()
    expect(seen.get("/now")).toContain(attempt.traceId)
  })

  test("leaves the trace behind when it is redirected to another origin", async () => {
    await send(`${originOf(loopback, "127.0.0.1")}/away`)
    expect(seen.get("/away")).toContain(attempt.traceId)
    expect(seen.has("/target") && seen.get("/target")).toBeUndefined()
  })

  test("with a trace of its own keeps it", async () => {
    await send(`${originOf(loopback, "127.0.0.1")}/own`, { traceparent: OWN })
    expect(seen.get("/own")).toBe(OWN)
    expect(attempt.steps).toEqual([])
  })

  test("of no test, and of Pagespan's own, is not recorded", async () => {
    await fetch(`${originOf(loopback, "127.0.0.1")}/outside`)
    await send(`${originOf(loopback, "127.0.0.1")}/api`, { "user-agent": COMMAND_USER_AGENT })
    expect([seen.get("/outside"), seen.get("/api"), attempt.steps]).toEqual([undefined, undefined, []])
  })

  test("that fails has the error", async () => {
    await send(`${originOf(loopback, "127.0.0.1")}/broken`).catch(() => undefined)
    expect(attempt.steps).toMatchObject([{ name: "GET /broken", error: { message: expect.any(String) } }])
  })
})
