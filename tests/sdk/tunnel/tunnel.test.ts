import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { hostileDsns } from "./hostile-dsns.ts"
import { deadlineOf, recordingSentry, upstream } from "./sentry-upstream.ts"
import { countedSockets, envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

const EVENT: [string, object] = ["event", { message: "boom" }]

describe("the tunnel", () => {
  test("forwards an envelope for the configured DSN unchanged", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const body = envelopeText({ dsn: sentry.dsn }, EVENT)
    const response = await tunnelHandler(post(body, { cookie: "sid=1", authorization: "Bearer x", "x-extra": "1" }))
    expect([response.status, response.body]).toEqual([204, null])
    expect(sentry.requests.map(({ body: sent }) => sent.toString())).toEqual([body])
    expect(sentry.requests[0]?.path).toMatch(/^\/api\/42\/envelope\/\?sentry_(?:version|key)=/)
    for (const name of ["cookie", "authorization", "x-extra", "origin", "referer"])
      expect(sentry.requests[0]?.headers).not.toHaveProperty(name)
    expect(drops()).toEqual([])
  })

  test("sends an envelope without a DSN to the configured one", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    await tunnelHandler(post(envelopeText({}, EVENT)))
    expect(sentry.errors()).toHaveLength(1)
  })

  test("opens no socket for any of 200 hostile DSNs, and counts each", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const sockets = countedSockets()
    const dsns = hostileDsns(sentry.dsn)
    expect(dsns.length).toBeGreaterThanOrEqual(200)
    for (const dsn of dsns) {
      const { status } = await tunnelHandler(post(envelopeText({ dsn }, EVENT)))
      expect([dsn, status]).toEqual([dsn, 403])
    }
    expect(sockets).toEqual([])
    expect(sentry.requests).toEqual([])
    expect(drops()).toEqual(dsns.map(() => "tunnel foreign_dsn/default=1"))
  })

  test("opens a socket for the configured DSN, so the count is real", async () => {
    const sentry = await recordingSentry()
    const sockets = countedSockets()
    const socket = connect(sentry.port, "127.0.0.1")
    await new Promise((resolve) => socket.once("connect", resolve))
    socket.destroy()
    expect(sockets).toHaveLength(1)
  })

  test("sends nothing of the request's query, path and headers", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const url = "http://shop.example/monitoring/../../x?o=1&p=2&r=evil.example&dsn=http://a@evil.example/1"
    const request = new Request(url, {
      method: "POST",
      body: envelopeText({ dsn: sentry.dsn, sent_at: "@evil.example/" }, EVENT),
      headers: { "x-sentry-auth": "sentry_key=evil", host: "shop.example" },
    })
    await tunnelHandler(request)
    const { path, headers } = sentry.requests[0] ?? { path: "", headers: {} }
    expect(`${path} ${JSON.stringify(headers)}`).not.toContain("evil")
    expect(new URL(path, "http://x").pathname).toBe("/api/42/envelope/")
  })

  test.each([
    ["no JSON", "hello"],
    ["an empty body", ""],
    ["an array", "[]\n"],
    ["a text", '"dsn"\n'],
    ["a header that never ends", `{"a":"${"x".repeat(100_000)}"}\n`],
  ])("refuses %s", async (_, body) => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    expect((await tunnelHandler(post(body))).status).toBe(400)
    expect(sentry.requests).toEqual([])
    expect(drops()).toEqual(["tunnel malformed/default=1"])
  })

  test.each(["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"])("does not serve %s", async (method) => {
    tunnelRuntime({})
    expect((await tunnelHandler(new Request("http://shop.example/monitoring", { method }))).status).toBe(405)
  })

  test.each(["http://evil.example", "null", "http://shop.example.evil.example", "http://shop.example:81"])(
    "does not serve a page of %s",
    async (origin) => {
      const sentry = await recordingSentry()
      const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
      const response = await tunnelHandler(post(envelopeText({ dsn: sentry.dsn }, EVENT), { origin }))
      expect(response.status).toBe(403)
      expect(drops()).toEqual(["tunnel foreign_origin/default=1"])
    },
  )

  test.each([
    { "x-forwarded-host": "shop.example, edge.internal", host: "edge.internal" },
    { "x-forwarded-host": "shop.example:80" },
    { host: "shop.example:80" },
  ])("serves a page whose proxy says %o", async (headers) => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const body = envelopeText({ dsn: sentry.dsn }, EVENT)
    const response = await tunnelHandler(post(body, { origin: "http://shop.example", ...headers }))
    expect(response.status).toBe(204)
  })

  test("refuses a body over the limit without reading it", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const chunk = new Uint8Array(1024 * 1024)
    let given = 0
    const body = new ReadableStream({
      pull(controller) {
        given += 1
        if (given > 1_000) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const init = { method: "POST", body, duplex: "half", headers: { host: "shop.example" } }
    const response = await tunnelHandler(new Request("http://shop.example/monitoring", init as RequestInit))
    expect(response.status).toBe(413)
    expect(given).toBeLessThan(30)
    expect(drops()).toEqual(["tunnel too_large/default=1"])
  })

  test("accepts only requests for settings if it is off", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn, PAGESPAN_TUNNEL: "off" })
    expect((await tunnelHandler(post(envelopeText({ dsn: sentry.dsn }, EVENT)))).status).toBe(404)
    expect((await tunnelHandler(post("{}", { "content-type": "application/json" }))).status).toBe(404)
    const settings = await tunnelHandler(post("", { "content-type": "application/vnd.pagespan.settings+json" }))
    expect(await settings.json()).toMatchObject({ service: "shop-browser" })
    expect(sentry.requests).toEqual([])
  })
})

describe("an upstream's response", () => {
  async function answerOf(respond: (response: ServerResponse) => void) {
    const dsn = await upstream(respond)
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const response = await tunnelHandler(post(envelopeText({ dsn }, EVENT, ["client_report", {}])))
    return { response, drops, text: await response.text() }
  }

  test("is passed on as its status and its rate limits only", async () => {
    const { response, text } = await answerOf((upstreamResponse) => {
      upstreamResponse.writeHead(429, {
        "content-type": "text/html",
        "set-cookie": "a=b",
        "x-sentry-rate-limits": "60:error:organization",
        "retry-after": "60",
        "access-control-allow-origin": "*",
        server: "secret/1",
      })
      upstreamResponse.end("<script>alert(1)</script>")
    })
    expect(response.status).toBe(429)
    expect(text).toBe("")
    expect(response.headers.get("x-sentry-rate-limits")).toBe("60:error:organization")
    expect(response.headers.get("retry-after")).toBe("60")
    for (const name of ["set-cookie", "access-control-allow-origin", "server"])
      expect(response.headers.has(name)).toBe(false)
    expect(response.headers.get("content-type") ?? "").not.toContain("html")
  })

  test("that is a success is passed on without a body and with its rate limits", async () => {
    const { response, drops } = await answerOf((upstreamResponse) => {
      upstreamResponse.writeHead(200, { "content-type": "application/json", "x-sentry-rate-limits": "60:span:org" })
      upstreamResponse.end('{"id":"0123456789abcdef0123456789abcdef"}')
    })
    expect([response.status, response.body]).toEqual([204, null])
    expect(response.headers.get("x-sentry-rate-limits")).toBe("60:span:org")
    expect(response.headers.has("content-type")).toBe(false)
    expect(drops()).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])("that is a redirect is not followed (%i)", async (status) => {
    const sockets = countedSockets()
    const { response, drops } = await answerOf((upstreamResponse) => {
      upstreamResponse.writeHead(status, { location: "http://169.254.169.254/latest/meta-data" }).end()
    })
    expect(response.status).toBe(502)
    expect(response.headers.has("location")).toBe(false)
    expect(sockets).toHaveLength(1)
    expect(drops()).toEqual(["tunnel send_error/error=1"])
  })

  test("without an end is not read", async () => {
    let written = 0
    const { response, text } = await answerOf((upstreamResponse) => {
      upstreamResponse.writeHead(200)
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (!upstreamResponse.destroyed && written < 10 * 1024 ** 3 && upstreamResponse.write(chunk))
          written += chunk.length
      }
      upstreamResponse.on("drain", more)
      more()
    })
    expect([response.status, text]).toEqual([204, ""])
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  test("with a flood of headers counts as a network error", async () => {
    const { response, drops } = await answerOf((upstreamResponse) => {
      for (let index = 0; index < 2_000; index++) upstreamResponse.setHeader(`x-flood-${index}`, "x".repeat(100))
      upstreamResponse.end()
    })
    expect(response.status).toBe(502)
    expect([...response.headers.keys()].some((name) => name.startsWith("x-flood"))).toBe(false)
    expect(drops()).toEqual(["tunnel network_error/error=1"])
  })

  test.each([
    [400, "tunnel send_error/error=1"],
    [403, "tunnel send_error/error=1"],
    [429, "tunnel ratelimit_backoff/error=1"],
    [500, "tunnel send_error/error=1"],
    [503, "tunnel send_error/error=1"],
  ])("with the status %i is counted by item, without client reports", async (status, drop) => {
    const { response, drops } = await answerOf((upstreamResponse) => void upstreamResponse.writeHead(status).end())
    expect(response.status).toBe(status)
    expect(drops()).toEqual([drop])
  })

  test.each([
    [429, []],
    [503, []],
    [400, ["tunnel send_error/error=1"]],
    [500, ["tunnel send_error/error=1"]],
  ])("to a page that retries is not counted if it is retryable: %i", async (status, counted) => {
    const dsn = await upstream((upstreamResponse) => {
      upstreamResponse.writeHead(status, { "retry-after": "30" }).end()
    })
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const response = await tunnelHandler(post(envelopeText({ dsn }, EVENT), { "pagespan-retry": "1" }))
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, "30"])
    expect(drops()).toEqual(counted)
  })

  test("is requested once more if the connection breaks, since it may have been stale", async () => {
    let requests = 0
    const { response, drops } = await answerOf((upstreamResponse) => {
      requests++
      if (requests === 1) upstreamResponse.destroy()
      else upstreamResponse.end()
    })
    expect([response.status, requests, drops()]).toEqual([204, 2, []])
  })

  test("is requested once more and then dropped if connections keep breaking", async () => {
    let requests = 0
    const { response, drops } = await answerOf((upstreamResponse) => {
      requests++
      upstreamResponse.destroy()
    })
    expect([response.status, requests, drops()]).toEqual([502, 2, ["tunnel network_error/error=1"]])
  })

  test("is not awaited while the upstream is known to be down", async () => {
    const gone = await recordingSentry()
    const { dsn } = gone
    await gone.close()
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    const first = await tunnelHandler(post(envelopeText({ dsn }, EVENT)))
    const sockets = countedSockets()
    const second = await tunnelHandler(post(envelopeText({ dsn }, EVENT)))
    expect([first.status, second.status]).toEqual([502, 503])
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(sockets).toEqual([])
    expect(drops()).toEqual(["tunnel network_error/error=1", "tunnel network_error/error=1"])
  })

  test("is not awaited while no packet arrives: an envelope times out, and so does a request without one", async () => {
    const methods: (string | undefined)[] = []
    const dsn = await upstream(({ req }) => void methods.push(req.method))
    tunnelRuntime({ SENTRY_DSN: dsn })
    const timeout = vi.spyOn(AbortSignal, "timeout")
    onTestFinished(() => timeout.mockRestore())
    timeout.mockImplementation(() => deadlineOf(100))
    expect((await tunnelHandler(post(envelopeText({ dsn }, EVENT)))).status).toBe(504)
    await waitFor("the pause", async () => (await tunnelHandler(post(envelopeText({ dsn }, EVENT)))).status === 503)
    const sockets = countedSockets()
    expect((await tunnelHandler(post(envelopeText({ dsn }, EVENT)))).status).toBe(503)
    expect(sockets).toEqual([])
    expect(methods.slice(0, 2)).toEqual(["POST", "HEAD"])
  })
})
