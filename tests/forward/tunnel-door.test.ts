import { createServer, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { tunnelDoor } from "#otel/forward/tunnel-door.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { hostileDsns } from "./hostile-dsns.ts"
import { countedSockets, envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

async function recordingSentry(): Promise<RecordingSentry> {
  const sentry = await new RecordingSentry().listen()
  onTestFinished(() => sentry.close())
  return sentry
}

/** A DSN whose server does as it is told. */
async function upstream(answer: (response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume()
    request.once("end", () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://publickey@127.0.0.1:${(server.address() as AddressInfo).port}/42`
}

const EVENT: [string, object] = ["event", { message: "boom" }]

describe("the tunnel", () => {
  test("hands an envelope for the configured DSN on as it is", async () => {
    const sentry = await recordingSentry()
    const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const body = envelopeText({ dsn: sentry.dsn }, EVENT)
    const response = await tunnelDoor(post(body, { cookie: "sid=1", authorization: "Bearer x", "x-extra": "1" }))
    expect(response.status).toBe(200)
    expect(sentry.requests.map(({ body: sent }) => sent.toString())).toEqual([body])
    expect(sentry.requests[0]?.path).toMatch(/^\/api\/42\/envelope\/\?sentry_(?:version|key)=/)
    for (const name of ["cookie", "authorization", "x-extra", "origin", "referer"])
      expect(sentry.requests[0]?.headers).not.toHaveProperty(name)
    expect(losses()).toEqual([])
  })

  test("sends an envelope without a DSN to the configured one", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    await tunnelDoor(post(envelopeText({}, EVENT)))
    expect(sentry.errors()).toHaveLength(1)
  })

  test("opens no socket for any of 200 hostile DSNs, and counts each", async () => {
    const sentry = await recordingSentry()
    const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const sockets = countedSockets()
    const dsns = hostileDsns(sentry.dsn)
    expect(dsns.length).toBeGreaterThanOrEqual(200)
    for (const dsn of dsns) {
      const { status } = await tunnelDoor(post(envelopeText({ dsn }, EVENT)))
      expect([dsn, status]).toEqual([dsn, 403])
    }
    expect(sockets).toEqual([])
    expect(sentry.requests).toEqual([])
    expect(losses()).toEqual(dsns.map(() => "tunnel foreign_dsn/default=1"))
  })

  test("can see a socket at all", async () => {
    const sentry = await recordingSentry()
    const sockets = countedSockets()
    const socket = connect(sentry.port, "127.0.0.1")
    await new Promise((resolve) => socket.once("connect", resolve))
    socket.destroy()
    expect(sockets).toHaveLength(1)
  })

  test("takes nothing from query, path or headers of the request into its own", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const url = "http://shop.example/monitoring/../../x?o=1&p=2&r=evil.example&dsn=http://a@evil.example/1"
    const request = new Request(url, {
      method: "POST",
      body: envelopeText({ dsn: sentry.dsn, sent_at: "@evil.example/" }, EVENT),
      headers: { "x-sentry-auth": "sentry_key=evil", host: "shop.example" },
    })
    await tunnelDoor(request)
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
    const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    expect((await tunnelDoor(post(body))).status).toBe(400)
    expect(sentry.requests).toEqual([])
    expect(losses()).toEqual(["tunnel malformed/default=1"])
  })

  test.each(["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"])("does not serve %s", async (method) => {
    tunnelRuntime({})
    expect((await tunnelDoor(new Request("http://shop.example/monitoring", { method }))).status).toBe(405)
  })

  test.each(["http://evil.example", "null", "http://shop.example.evil.example", "http://shop.example:81"])(
    "does not serve a page of %s",
    async (origin) => {
      const sentry = await recordingSentry()
      const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
      const response = await tunnelDoor(post(envelopeText({ dsn: sentry.dsn }, EVENT), { origin }))
      expect(response.status).toBe(403)
      expect(losses()).toEqual(["tunnel foreign_origin/default=1"])
    },
  )

  test("refuses a body over the limit before it has read it", async () => {
    const sentry = await recordingSentry()
    const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
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
    const response = await tunnelDoor(new Request("http://shop.example/monitoring", init as RequestInit))
    expect(response.status).toBe(413)
    expect(given).toBeLessThan(30)
    expect(losses()).toEqual(["tunnel too_large/default=1"])
  })

  test("takes nothing but a question for settings where it is off", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn, PAGESPAN_TUNNEL: "off" })
    expect((await tunnelDoor(post(envelopeText({ dsn: sentry.dsn }, EVENT)))).status).toBe(404)
    expect((await tunnelDoor(post("{}", { "content-type": "application/json" }))).status).toBe(404)
    const settings = await tunnelDoor(post("", { "content-type": "application/vnd.pagespan.settings+json" }))
    expect(await settings.json()).toMatchObject({ service: "shop-browser" })
    expect(sentry.requests).toEqual([])
  })
})

describe("what an upstream answers", () => {
  async function answerOf(respond: (response: ServerResponse) => void) {
    const dsn = await upstream(respond)
    const { losses } = tunnelRuntime({ SENTRY_DSN: dsn })
    const response = await tunnelDoor(post(envelopeText({ dsn }, EVENT, ["client_report", {}])))
    return { response, losses, text: await response.text() }
  }

  test("comes back as its status and its rate limits alone", async () => {
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

  test.each([301, 302, 303, 307, 308])("is not followed where it is a redirect (%i)", async (status) => {
    const sockets = countedSockets()
    const { response, losses } = await answerOf((upstreamResponse) => {
      upstreamResponse.writeHead(status, { location: "http://169.254.169.254/latest/meta-data" }).end()
    })
    expect(response.status).toBe(502)
    expect(response.headers.has("location")).toBe(false)
    expect(sockets).toHaveLength(1)
    expect(losses()).toEqual(["tunnel send_error/error=1"])
  })

  test("is not read where it never ends", async () => {
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
    expect([response.status, text]).toEqual([200, ""])
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  test("counts as dead where it is a flood of headers", async () => {
    const { response, losses } = await answerOf((upstreamResponse) => {
      for (let index = 0; index < 2_000; index++) upstreamResponse.setHeader(`x-flood-${index}`, "x".repeat(100))
      upstreamResponse.end()
    })
    expect(response.status).toBe(502)
    expect([...response.headers.keys()].some((name) => name.startsWith("x-flood"))).toBe(false)
    expect(losses()).toEqual(["tunnel network_error/error=1"])
  })

  test.each([
    [400, "tunnel send_error/error=1"],
    [403, "tunnel send_error/error=1"],
    [429, "tunnel ratelimit_backoff/error=1"],
    [500, "tunnel send_error/error=1"],
    [503, "tunnel send_error/error=1"],
  ])("is counted by the item where it is %i, reports apart", async (status, loss) => {
    const { response, losses } = await answerOf((upstreamResponse) => void upstreamResponse.writeHead(status).end())
    expect(response.status).toBe(status)
    expect(losses()).toEqual([loss])
  })

  test("is not waited for while the upstream is known to be dead", async () => {
    const gone = await recordingSentry()
    const { dsn } = gone
    await gone.close()
    const { losses } = tunnelRuntime({ SENTRY_DSN: dsn })
    const first = await tunnelDoor(post(envelopeText({ dsn }, EVENT)))
    const sockets = countedSockets()
    const second = await tunnelDoor(post(envelopeText({ dsn }, EVENT)))
    expect([first.status, second.status]).toEqual([502, 503])
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(sockets).toEqual([])
    expect(losses()).toEqual(["tunnel network_error/error=1", "tunnel network_error/error=1"])
  })
})

describe("losses of a page", () => {
  const REPORT: [string, object] = [
    "client_report",
    { discarded_events: [{ reason: "ratelimit_backoff", category: "error", quantity: 3 }] },
  ]

  async function told(header: string | undefined, ...items: [string, object][]) {
    const sentry = await recordingSentry()
    const { losses } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    await tunnelDoor(post(envelopeText({}, ...items), header === undefined ? {} : { "pagespan-losses": header }))
    return losses()
  }

  test("travel in a header of any delivery and are counted where they happened", async () => {
    expect(await told("noisy_error/error=2,queue_overflow/span=40", EVENT)).toEqual([
      "page noisy_error/error=2",
      "page queue_overflow/span=40",
    ])
  })

  test("are counted when the delivery that tells them has succeeded: until then the page goes on telling them", async () => {
    const dsn = await upstream((response) => void response.writeHead(503).end())
    const { losses } = tunnelRuntime({ SENTRY_DSN: dsn })
    const header = { "pagespan-losses": "noisy_error/error=2" }
    expect((await tunnelDoor(post(envelopeText({}, EVENT), header))).status).toBe(503)
    expect(losses()).toEqual(["tunnel send_error/error=1"])
    const spans = { ...header, "content-type": "application/json" }
    expect((await tunnelDoor(post(`{"resourceSpans":[]}`, spans))).status).toBe(200)
    expect(losses()).toEqual(["tunnel send_error/error=1", "page noisy_error/error=2"])
  })

  test.each([
    ["a body over the limit, of spans", "application/json", { "content-length": "20971521" }, 413, []],
    ["a body over the limit, of an envelope", "text/plain", { "content-length": "20971521" }, 413, []],
    ["spans that are none", "application/json", {}, 400, []],
    ["an envelope that is none", "text/plain", {}, 400, ["tunnel malformed/default=1"]],
  ])("are not counted a second time for %s, which the page counts", async (_, type, headers, status, expected) => {
    const { losses } = tunnelRuntime({ SENTRY_DSN: "http://key@127.0.0.1:9/1" })
    const request = post("hello", { ...headers, "content-type": type, "pagespan-losses": "noisy_error/error=2" })
    expect((await tunnelDoor(request)).status).toBe(status)
    expect(losses()).toEqual(expected)
  })

  test("of a stream of spans that Sentry refuses are its spans", async () => {
    const dsn = await upstream((response) => void response.writeHead(500).end())
    const { losses } = tunnelRuntime({ SENTRY_DSN: dsn })
    const body = [{ dsn }, { type: "span", item_count: 40 }, { version: 2, items: [] }].map((part) =>
      JSON.stringify(part),
    )
    await tunnelDoor(post(body.join("\n")))
    expect(losses()).toEqual(["tunnel send_error/span=40"])
  })

  test("travel with spans too", async () => {
    const { losses } = tunnelRuntime({})
    const headers = { "content-type": "application/json", "pagespan-losses": "page_left/span=1" }
    expect((await tunnelDoor(post(`{"resourceSpans":[]}`, headers))).status).toBe(200)
    expect(losses()).toEqual(["page page_left/span=1"])
  })

  test("are counted from a Sentry client's report, by its reasons", async () => {
    expect(await told(undefined, REPORT)).toEqual(["page ratelimit_backoff/error=3"])
  })

  test("are counted once where the page tells them itself", async () => {
    expect(await told("", REPORT)).toEqual([])
  })

  test.each([
    "nonsense",
    "noisy_error/error",
    "noisy_error/error=0",
    "noisy_error/error=-1",
    "noisy_error/error=1.5",
    "noisy_error/error=9999999",
    "no_such_reason/error=1",
    "noisy_error/no_such_category=1",
    "__proto__/error=1",
    "noisy_error/error=1,",
    "noisy_error/error=1, noisy_error/error=1",
    `${"noisy_error/error=1,".repeat(500)}noisy_error/error=1`,
  ])("are not believed from a header like %s", async (header) => {
    expect(await told(header, EVENT)).toEqual(["tunnel malformed/internal=1"])
  })
})
