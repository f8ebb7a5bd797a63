import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { clientOf, resolveClient, watchPeers } from "#otel/sdk/tunnel/client-address.ts"

const VISITOR = "203.0.113.9"
const OTHER = "198.51.100.7"

describe("without PAGESPAN_TRUSTED_PROXIES a client is", () => {
  test.each([
    ["the socket's address, if that is public: the client wrote the header itself", VISITOR, OTHER, OTHER],
    ["what a proxy of the same network wrote", VISITOR, "10.0.0.2", VISITOR],
    ["what a proxy on this machine wrote", VISITOR, "::1", VISITOR],
    ["what a proxy behind a Unix socket wrote", VISITOR, undefined, VISITOR],
    [
      "what the nearest of the public ones wrote, not what came with the request",
      `1.2.3.4, ${VISITOR}`,
      "10.0.0.2",
      VISITOR,
    ],
    ["found behind two proxies with private addresses", `${VISITOR}, 10.0.0.9`, "172.20.0.3", VISITOR],
    ["the farthest of addresses that are all private", "192.168.1.20, 10.0.0.9", "127.0.0.1", "192.168.1.20"],
    ["the socket's address, which Next fills in where there is no header", "127.0.0.1", "127.0.0.1", "127.0.0.1"],
    ["the proxy, if what it wrote is no address", `${VISITOR}, unknown`, "10.0.0.2", "10.0.0.2"],
    ["unknown, if nothing is known", "", undefined, "unknown"],
    ["an IPv4 address in IPv6 form", `::ffff:${VISITOR}`, "::ffff:10.0.0.2", VISITOR],
    ["an IPv4 address with a port", `${VISITOR}:51234`, "10.0.0.2", VISITOR],
    [
      "the network of an IPv6 address, of which a subscriber has all",
      "2001:db8:1:2:3:4:5:6",
      "10.0.0.2",
      "2001:db8:1:2::/64",
    ],
    ["the same for another address in it", "2001:0db8:0001:0002::1", "10.0.0.2", "2001:db8:1:2::/64"],
    ["the same with a port", "[2001:db8:1:2::1]:443", "10.0.0.2", "2001:db8:1:2::/64"],
    ["the network of a shortened address", "2001:db8::1", "10.0.0.2", "2001:db8:0:0::/64"],
  ])("%s", (_, forwardedFor, peer, client) => {
    expect(resolveClient(forwardedFor, peer, undefined)).toBe(client)
  })
})

describe("PAGESPAN_TRUSTED_PROXIES", () => {
  test.each([
    [0, `${VISITOR}, ${OTHER}`, "10.0.0.2", "10.0.0.2"],
    [1, `${VISITOR}, ${OTHER}`, "10.0.0.2", OTHER],
    [2, `${VISITOR}, ${OTHER}`, "10.0.0.2", VISITOR],
    [9, `${VISITOR}, ${OTHER}`, "10.0.0.2", VISITOR],
    [0, VISITOR, undefined, "unknown"],
    [1, VISITOR, undefined, VISITOR],
    [2, `${VISITOR}, ${OTHER}`, undefined, VISITOR],
    [1, "", "10.0.0.2", "10.0.0.2"],
  ])("%i: of %j by %s the client is %s", (trusted, forwardedFor, peer, client) => {
    expect(resolveClient(forwardedFor, peer, trusted)).toBe(client)
  })

  test("reads the end of a header of any length", () => {
    expect(resolveClient(`${"1.2.3.4, ".repeat(1_700)}${VISITOR}`, "10.0.0.2", 1)).toBe(VISITOR)
  })
})

test("the address of the socket is known where the request is handled, and is that of the request's own connection", async () => {
  watchPeers()
  const server = createServer(async (incoming, response) => {
    // As in Next, the handler runs later and has only the headers.
    await new Promise((resolve) => setImmediate(resolve))
    const headers = { "x-forwarded-for": String(incoming.headers["x-forwarded-for"]) }
    response.end(clientOf(new Request("http://shop.example/monitoring", { method: "POST", headers }), 0))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const from = (localAddress: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { port, host: "127.0.0.1", localAddress, method: "POST", headers: { "x-forwarded-for": VISITOR } }
      const request = httpRequest(options, async (response) => {
        let text = ""
        for await (const chunk of response) text += String(chunk)
        resolve(text)
      })
      request.on("error", reject).end()
    })
  expect(await Promise.all([from("127.0.0.1"), from("127.0.0.2"), from("127.0.0.3")])).toEqual([
    "127.0.0.1",
    "127.0.0.2",
    "127.0.0.3",
  ])
})
