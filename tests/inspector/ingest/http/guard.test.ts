import { connect } from "node:net"
import { describe, expect, test } from "vitest"
import { type GuardPolicy, guardPublicRead, guardRead, guardWrite } from "#otel/inspector/ingest/http/guards.ts"
import { secret } from "#otel/protocol/secret.ts"
import { serve, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const OPEN: GuardPolicy = { hosts: [], origins: [], token: undefined }

function request(headers: Record<string, string>, method = "POST"): Request {
  return new Request("http://anything.invalid/v1/traces", { method, headers: { host: "localhost", ...headers } })
}

describe("only listed hosts are served", () => {
  test.each(["localhost", "LOCALHOST", "localhost:4318", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535"])(
    "%s is loopback and served",
    (host) => {
      expect(guardWrite(request({ host }), OPEN)).toBeUndefined()
      expect(guardRead(request({ host }, "GET"), OPEN)).toBeUndefined()
    },
  )
  test.each([
    "",
    "evil.example",
    "evil.example:4318",
    "localhost.evil.example",
    "evil.localhost",
    "localhost.",
    "127.0.0.1.nip.io",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "::1",
    "[::1",
    "localhost:",
    "localhost:port",
    "localhost:123456",
    "localhost:80:80",
    "localhost, localhost",
    "localhost evil.example",
    "localhost/",
    "localhost#",
    "user@localhost",
    "localhost\\",
    "ⅼocalhost".normalize("NFKC").replace("l", "I"),
    "169.254.169.254",
    "10.0.0.1",
    "192.168.1.1",
  ])("%j is refused", (host) => {
    const refusal = guardWrite(request({ host }), OPEN)
    expect(refusal).toMatchObject({ status: 421, reason: "foreign_host" })
    expect(guardRead(request({ host }, "GET"), OPEN)).toMatchObject({ status: 421 })
    expect(guardPublicRead(request({ host }, "GET"), OPEN)).toMatchObject({ status: 421 })
  })
  test("a request without a host is refused", () => {
    expect(guardWrite(new Request("http://localhost/", { method: "POST" }), OPEN)).toMatchObject({ status: 421 })
  })
  test.each([
    ["inspector.example", "inspector.example", true],
    ["inspector.example", "Inspector.Example:8443", true],
    ["inspector.example:8443", "inspector.example:8443", true],
    ["inspector.example:8443", "inspector.example", false],
    ["inspector.example:8443", "inspector.example:80", false],
    ["inspector.example", "a.inspector.example", false],
    ["inspector.example", "inspector.example.evil", false],
    ["10.0.0.5", "10.0.0.5:4318", true],
    ["[fd00::5]", "[fd00::5]:4318", true],
  ])("with %s on the list, %s is served: %s", (entry, host, isServed) => {
    expect(guardWrite(request({ host }), { ...OPEN, hosts: [entry] }) === undefined).toBe(isServed)
  })
})

describe("foreign origins cannot read, and can write only if they are listed", () => {
  const policy: GuardPolicy = { ...OPEN, hosts: ["inspector.example"], origins: ["https://shop.example"] }
  test.each([
    ["http://localhost:3000", true],
    ["https://localhost", true],
    ["http://127.0.0.1:5173", true],
    ["http://[::1]:5173", true],
    ["https://shop.example", true],
    ["HTTPS://SHOP.EXAMPLE", true],
    ["https://inspector.example:4318", true],
    ["null", false],
    ["", false],
    ["http://shop.example", false],
    ["https://shop.example:8443", false],
    ["https://shop.example.evil", false],
    ["https://evil.example/https://shop.example", false],
    ["https://shop.example@evil.example", false],
    ["https://inspector.example", false],
    ["https://evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://127.0.0.1.nip.io", false],
    ["http://evil-localhost", false],
    ["file://", false],
    ["file://localhost", false],
    ["chrome-extension://localhost", false],
    ["localhost", false],
    ["http://localhost:3000/", false],
    ["http://localhost:3000, http://evil.example", false],
  ])("%j may write: %s", (origin, mayWrite) => {
    const refusal = guardWrite(request({ host: "inspector.example:4318", origin }), policy)
    expect(refusal?.reason).toBe(mayWrite ? undefined : "foreign_origin")
  })
  test.each([
    [{ origin: "https://inspector.example:4318" }, true],
    [{}, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, true],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, true],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, false],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, false],
    [{ origin: "https://shop.example" }, false],
    [{ origin: "http://localhost:3000" }, false],
    [{ origin: "null" }, false],
  ])("a page with %j may read: %s", (headers, mayRead) => {
    const refusal = guardRead(request({ host: "inspector.example:4318", ...headers }, "GET"), policy)
    expect(refusal === undefined).toBe(mayRead)
  })
})

describe("a configured token is required", () => {
  const policy: GuardPolicy = { ...OPEN, token: secret("correct-horse-battery") }
  test.each([
    ["Bearer correct-horse-battery", true],
    ["bearer correct-horse-battery", true],
    ["Bearer  correct-horse-battery", true],
    ["Bearer correct-horse-batterY", false],
    ["Bearer correct-horse-battery2", false],
    ["Bearer correct-horse", false],
    ["Bearer ****", false],
    ["Bearer", false],
    ["Bearer ", false],
    ["", false],
    ["correct-horse-battery", false],
    ["Basic correct-horse-battery", false],
    ["Bearer wrong, Bearer correct-horse-battery", false],
  ])("%j passes: %s", (authorization, passes) => {
    const write = guardWrite(request({ authorization }), policy)
    const read = guardRead(request({ authorization }, "GET"), policy)
    expect([write?.reason, read?.reason]).toStrictEqual(
      passes ? [undefined, undefined] : ["unauthorized", "unauthorized"],
    )
  })
  test("a refusal names the scheme of the token", () => {
    expect(guardRead(request({}, "GET"), policy)).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="pagespan"' },
    })
  })
  test("health needs no token", () => {
    expect(guardPublicRead(request({}, "GET"), policy)).toBeUndefined()
  })
  test("a refusal contains nothing of the token", () => {
    const refusal = guardWrite(request({ authorization: "Bearer my-own-secret-try" }), policy)
    expect(JSON.stringify(refusal)).not.toMatch(/horse|my-own/)
  })
})

test.each(["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("%s is not a method to write", (method) => {
  expect(guardWrite(request({}, method), OPEN)).toMatchObject({ status: 405, headers: { allow: "POST" } })
})
test.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s is not a method to read", (method) => {
  expect(guardRead(request({}, method), OPEN)).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } })
})

/** Sends exactly these lines, without a client library, and returns the status of the response. */
async function statusOf(url: string, ...lines: string[]): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write([...lines, "connection: close", "", ""].join("\r\n"))
  let answer = ""
  for await (const chunk of socket) answer += String(chunk)
  return Number(answer.split(" ")[1])
}

describe("over HTTP", () => {
  test("the request's host header decides, not the address of the connection", async () => {
    const { receiver } = await startReceiver({ hosts: ["inspector.example"] })
    const url = await serve((request) => receiver.guardRead(request) ?? new Response("shown"))
    const get = "GET / HTTP/1.1"
    expect(await statusOf(url, get, "host: inspector.example")).toBe(200)
    expect(await statusOf(url, get, "host: evil.example")).toBe(421)
    expect(await statusOf(url, get, "host: evil.example", "x-forwarded-host: localhost")).toBe(421)
    expect(await statusOf(url, get, "host: evil.example", "host: localhost")).toBe(421)
    expect(await statusOf(url, get, "host: localhost", "host: evil.example")).toBe(421)
    expect(await statusOf(url, "GET http://localhost/ HTTP/1.1", "host: evil.example")).toBe(421)
    expect(await statusOf(url, get)).toBe(400)
    expect(await statusOf(url, "GET / HTTP/1.0")).toBe(421)
    expect(receiver.drops.totals()).toMatchObject({ foreign_host: 6 })
  })
})

test("a refused read contains nothing of the response, and cannot be cached or read", async () => {
  const { receiver } = await startReceiver({ token: secret("correct-horse-battery") })
  const response = receiver.guardRead(request({ origin: "https://evil.example" }, "GET"))!
  expect(response.status).toBe(403)
  expect(Object.fromEntries(response.headers)).toStrictEqual({
    "cache-control": "no-store",
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
  })
  expect(await response.json()).toStrictEqual({ code: 7, message: expect.stringContaining("PAGESPAN_ALLOWED_ORIGINS") })
})
