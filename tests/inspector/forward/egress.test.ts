import type { lookup as systemLookup } from "node:dns"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { addressGuard, createEgress } from "#otel/inspector/forward/egress.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { countedSockets } from "../../sdk/tunnel/tunnel-runtime.ts"

/** Never ends a request. */
const OPEN = new AbortController().signal

const REFUSED = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "0:0:0:0:0:ffff:a00:1",
  "::127.0.0.1",
  "::ffff:0:7f00:1",
  "::ffff:0:127.0.0.1",
  "100::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "8000::1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::10.0.0.1",
  "2002:a9fe:a9fe::1",
  "2001:0:1::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "ff02::1",
  "no address",
  "",
]
const ALLOWED = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "2606:4700::1111",
  "2a00:1450:4001::1",
  "3ffe::1",
  "::ffff:8.8.8.8",
]

describe("an IP address", () => {
  test.each(REFUSED)("%s is refused", (address) => {
    expect(addressGuard([])(address)).toBe(false)
  })

  test.each(ALLOWED)("%s is allowed", (address) => {
    expect(addressGuard([])(address)).toBe(true)
  })

  test("is allowed if it is configured, and its neighbours are not", () => {
    const mayReach = addressGuard(["10.0.0.7", "192.168.4.0/24", "::1"])
    expect(["10.0.0.7", "::ffff:10.0.0.7", "192.168.4.200", "::1"].map(mayReach)).toEqual([true, true, true, true])
    expect(["10.0.0.8", "192.168.5.1", "127.0.0.1"].map(mayReach)).toEqual([false, false, false])
  })
})

describe("an outgoing request", () => {
  const body = Buffer.from("{}")

  /** A resolver that returns these answers in turn, the last one for ever. */
  function resolver(...answers: string[][]) {
    let lookups = 0
    const lookup = ((_host: string, _options: object, done: (error: null, addresses: object[]) => void) => {
      const addresses = answers[Math.min(lookups++, answers.length - 1)] ?? []
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      )
    }) as unknown as typeof systemLookup
    return { lookup, lookups: () => lookups }
  }

  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://0/",
  ])("opens no socket to %s", async (url) => {
    const sockets = countedSockets()
    const send = createEgress({ mayReach: addressGuard([]) })
    expect(await send({ url, headers: {}, body }, OPEN)).toEqual({ outcome: "refused" })
    expect(sockets).toEqual([])
  })

  test("does not connect to a name that resolves to a private address, even if the name had a public one before", async () => {
    const { lookup, lookups } = resolver(["169.254.169.254"])
    const send = createEgress({ mayReach: addressGuard([]), lookup })
    expect(await send({ url: "http://flips.example/", headers: {}, body }, OPEN)).toEqual({ outcome: "refused" })
    expect(lookups()).toBe(1)
  })

  test("checks the address that it connects to, with one DNS lookup", async () => {
    const server = await new RecordingServer().listen()
    onTestFinished(() => server.close())
    const { lookup, lookups } = resolver(["127.0.0.1"], ["169.254.169.254"])
    const send = createEgress({ mayReach: addressGuard(["127.0.0.1"]), lookup })
    const url = `http://collector.example:${server.port}/v1/traces`
    const answer = await send({ url, headers: { "content-type": "application/json" }, body }, OPEN)
    expect(answer).toMatchObject({ outcome: "answered", status: 200 })
    expect(lookups()).toBe(1)
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/v1/traces", headers: { "content-length": "2" } })
  })

  test("ignores the private ones of several addresses", async () => {
    const server = await new RecordingServer().listen()
    onTestFinished(() => server.close())
    const { lookup } = resolver(["10.0.0.1", "127.0.0.1"])
    const send = createEgress({ mayReach: addressGuard(["127.0.0.1"]), lookup })
    expect(await send({ url: `http://two.example:${server.port}/`, headers: {}, body }, OPEN)).toMatchObject({
      status: 200,
    })
  })

  test("does not follow a redirect", async () => {
    const server = await new RecordingServer().listen()
    onTestFinished(() => server.close())
    server.answer = { status: 307, headers: { location: `http://127.0.0.1:${server.port}/elsewhere` } }
    const send = createEgress({ mayReach: addressGuard(["127.0.0.1"]) })
    const answer = await send({ url: `http://127.0.0.1:${server.port}/`, headers: {}, body }, OPEN)
    expect(answer).toMatchObject({ outcome: "answered", status: 307 })
    expect(server.requests).toHaveLength(1)
  })

  /** A server that counts its connections and answers with `respond`. */
  async function listening(respond: (response: ServerResponse, request: IncomingMessage) => void) {
    const sockets: Socket[] = []
    const server = createServer((request, response) => {
      request.resume().once("end", () => respond(response, request))
    })
    server.on("connection", (socket) => sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
  }

  test("uses one connection for many requests, since responses are read to the end", async () => {
    const { url, sockets } = await listening((response) => response.end('{"partialSuccess":{"rejectedSpans":"2"}}'))
    const send = createEgress({ mayReach: () => true })
    for (let request = 0; request < 10; request++) {
      const answer = await send({ url, headers: {}, body }, OPEN)
      expect(answer.outcome === "answered" && Buffer.from(answer.body).toString()).toContain("rejectedSpans")
    }
    expect(sockets).toHaveLength(1)
  })

  test("is repeated on a new connection if a kept-alive one was closed", async () => {
    let requests = 0
    const { url, sockets } = await listening((response, request) => {
      requests += 1
      if (requests === 2) request.socket.destroy()
      else response.end("{}")
    })
    const send = createEgress({ mayReach: () => true })
    await send({ url, headers: {}, body }, OPEN)
    expect(await send({ url, headers: {}, body }, OPEN)).toMatchObject({ outcome: "answered", status: 200 })
    expect([requests, sockets.length]).toEqual([3, 2])
  })

  test.each([
    ["longer than 64 KiB", (response: ServerResponse) => response.end("x".repeat(64 * 1024 + 1))],
    ["endless", (response: ServerResponse) => void setInterval(() => response.write("x".repeat(9_999)), 1).unref()],
    ["broken off", (response: ServerResponse) => response.write("x", () => response.destroy())],
    ["never finished", (response: ServerResponse) => response.write("x")],
  ])("is delivered, and its answer nothing, where that is %s", async (_, respond) => {
    const { url } = await listening(respond)
    const send = createEgress({ mayReach: () => true, timeoutMs: 1_000 })
    const answer = await send({ url, headers: {}, body }, OPEN)
    expect(answer).toMatchObject({ outcome: "answered", status: 200, body: new Uint8Array() })
  })

  test("fails instead of hanging if nothing listens", async () => {
    const server = await new RecordingServer().listen()
    const { port } = server
    await server.close()
    const send = createEgress({ mayReach: () => true, timeoutMs: 100 })
    expect(await send({ url: `http://127.0.0.1:${port}/`, headers: {}, body }, OPEN)).toEqual({ outcome: "failed" })
  })
})
