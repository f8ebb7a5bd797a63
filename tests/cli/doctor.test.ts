import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { createParser } from "#otel/cli/parser.ts"
import { freePort } from "#tests/support/free-port.ts"

/** How the server of an app answers, by path. Everything else is a 404. */
interface Site {
  readonly html: string
  /** Answers every request of a page that it does not leave to `html`. */
  readonly proxy?: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly script?: string
  readonly tunnel?: (request: IncomingMessage, body: string, response: ServerResponse) => void
  readonly path?: string
}

const SETTINGS = { service: "shop", environment: "test", dsn: "https://key@sentry.test/1", tunnel: "/monitoring" }
const escaped = (value: unknown) => JSON.stringify(value).replaceAll('"', "&quot;")
const META = `<meta name="pagespan" content="${escaped(SETTINGS)}"/>`
const PAGE = `<head>${META}</head><script src="/app.js"></script>`
const TRACER = "const ATTR = 'pagespan.end_reason'"

async function serve({ html, proxy, script = "", tunnel, path = "/monitoring" }: Site): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method === "GET" && request.url !== "/app.js" && proxy?.(request, response)) return
    if (request.url === "/" || request.url === "/shop") response.end(html)
    else if (request.url === "/app.js") response.end(script)
    else if (request.url === path && tunnel) tunnel(request, Buffer.concat(chunks).toString(), response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A tunnel that answers like Pagespan's, and what it got. */
function tunnel(settings: object, statuses: { envelope?: number; spans?: number } = {}) {
  const bodies: string[] = []
  const answer: NonNullable<Site["tunnel"]> = ({ headers, method }, body, response) => {
    const type = headers["content-type"] ?? ""
    bodies.push(body)
    const isOwn = method === "POST" && new URL(headers.origin ?? "").host === headers.host
    if (!isOwn) return void response.writeHead(403).end()
    if (type.includes("settings")) return void response.end(JSON.stringify(settings))
    response.writeHead((type === "application/json" ? statuses.spans : statuses.envelope) ?? 204).end()
  }
  return { bodies, answer }
}

/** Runs `pagespan doctor` without an inspector. */
async function doctor(app: string): Promise<{ output: string; error: string | undefined; code: unknown }> {
  const lines: string[] = []
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => void print.mockRestore())
  const words = ["doctor", app, "--no-browser", "--url", `http://127.0.0.1:${await freePort()}`]
  const error = await createParser(words)
    .parseAsync()
    .then(
      () => undefined,
      (thrown: Error & { code?: unknown }) => thrown,
    )
  return { output: lines.join("\n"), error: error?.message, code: error?.code }
}

test("doctor sends one test error on one trace through the tunnel, and says who accepted it", async () => {
  const { bodies, answer } = tunnel(SETTINGS)
  const { output, error } = await doctor(await serve({ html: PAGE, script: TRACER, tunnel: answer }))
  expect(error).toBeUndefined()
  const [settings, envelope = "", spans = ""] = bodies
  expect(settings).toBe("")
  const [header, item, event] = envelope.split("\n").map((line) => JSON.parse(line) as Record<string, any>) // oxlint-disable-line typescript/no-explicit-any
  const [span] = JSON.parse(spans).resourceSpans[0].scopeSpans[0].spans
  expect(item).toEqual({ type: "event" })
  expect(header!["event_id"]).toBe(event!["event_id"])
  expect(event).toMatchObject({
    environment: "test",
    exception: { values: [{ value: "Test error of pagespan doctor" }] },
  })
  expect(span).toMatchObject({ traceId: event!["contexts"].trace.trace_id, status: { code: 2 } })
  expect(output.split("\n")).toEqual([
    "ok       the page answers 200",
    "ok       the page loads Pagespan's tracer",
    "ok       the page has the settings of the server, and traces as shop",
    "ok       the tunnel /monitoring answers",
    `ok       sentry.test accepted the test error, event ${event!["event_id"]}`,
    `ok       the tunnel took the test span, trace ${span.traceId}`,
    expect.stringMatching(/^note {5}no inspector answers at /),
  ])
})

test("doctor finds the tunnel of a static page below its basePath", async () => {
  const { answer } = tunnel({ service: "shop" })
  const origin = await serve({ html: PAGE.replace(META, ""), script: TRACER, tunnel: answer, path: "/shop/monitoring" })
  expect((await doctor(`${origin}/shop`)).output).toContain("ok       the tunnel /shop/monitoring answers")
})

test.each([
  ["service", { ...SETTINGS, service: "docs" }, "is docs"],
  ["DSN", { ...SETTINGS, dsn: "https://key@sentry.test/2" }, "has another DSN"],
])("doctor sends nothing to a tunnel of another zone, which its %s shows", async (_, settings, which) => {
  const { bodies, answer } = tunnel(settings)
  const { output, code } = await doctor(await serve({ html: PAGE, script: TRACER, tunnel: answer }))
  expect(output.split("\n").slice(3)).toEqual([
    `problem  the tunnel /monitoring is another app's, which ${which}`,
    expect.stringContaining("give each zone a tunnel below its own path"),
  ])
  expect([bodies, code]).toEqual([[""], 1])
})

test("doctor sees the page of an app that signs each visitor in as a guest, by a redirect with cookies", async () => {
  const expired = "seen=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
  const proxy: Site["proxy"] = ({ url, headers }, response) => {
    if (url === "/guest")
      response.writeHead(307, { location: "/", "set-cookie": ["session=guest; Path=/", expired] }).end()
    else if (headers.cookie !== "session=guest")
      response.writeHead(307, { location: "/guest", "set-cookie": "seen=1; Path=/" }).end()
    else return false
    return true
  }
  const { output } = await doctor(await serve({ html: PAGE, proxy, script: TRACER, tunnel: tunnel(SETTINGS).answer }))
  expect(output.split("\n").slice(0, 3)).toEqual([
    "ok       the page answers 200",
    "ok       the page loads Pagespan's tracer",
    "ok       the page has the settings of the server, and traces as shop",
  ])
})

test("doctor names a page that redirects without end", async () => {
  const proxy: Site["proxy"] = (_, response) => Boolean(response.writeHead(307, { location: "/login" }).end())
  const { output } = await doctor(await serve({ html: PAGE, proxy, script: TRACER, tunnel: tunnel(SETTINGS).answer }))
  expect(output.split("\n").slice(0, 2)).toEqual([
    "problem  the page redirects without end, at last to /login",
    "         name a page that everybody may see",
  ])
})

const MISSING: readonly (readonly [what: string, site: Site, finding: string, fix: string])[] = [
  [
    "a page without the tracer",
    { html: "<p>A page</p>", tunnel: tunnel(SETTINGS).answer },
    "no script of the page holds Pagespan's tracer",
    "wrap your configuration in withPagespan",
  ],
  [
    "a tunnel that a proxy redirects",
    {
      html: PAGE,
      script: TRACER,
      tunnel: (_, __, response) => response.writeHead(307, { location: "/en/monitoring" }).end(),
    },
    "the tunnel /monitoring answers 307 to /en/monitoring",
    "exclude the tunnel from the matcher of proxy or middleware",
  ],
  [
    "no tunnel",
    { html: PAGE, script: TRACER },
    "the tunnel /monitoring answers 404",
    `export { POST } from "pagespan/tunnel"`,
  ],
  [
    "a page behind the tunnel's path",
    { html: PAGE, script: TRACER, tunnel: (_, __, response) => response.end("<p>Not found</p>") },
    "the tunnel /monitoring answers 200",
    "exclude the tunnel",
  ],
  [
    "a server that does not trace",
    {
      html: PAGE,
      script: TRACER,
      tunnel: (_, __, response) => response.writeHead(503).end("Tracing is off in this server."),
    },
    "the tunnel /monitoring answers 503: Tracing is off in this server.",
    "call register of pagespan/server in instrumentation",
  ],
  [
    "no DSN",
    { html: PAGE, script: TRACER, tunnel: tunnel({ service: "shop" }).answer },
    "the test error reached no Sentry",
    "set SENTRY_DSN",
  ],
  [
    "the packages of Sentry that an app with a DSN lacks",
    { html: PAGE, script: TRACER, tunnel: tunnel({ service: "shop" }).answer },
    "the test error reached no Sentry",
    "If it is set, the app was built without Sentry's packages: install @sentry/nextjs, and build again",
  ],
  [
    "a Sentry that refuses",
    { html: PAGE, script: TRACER, tunnel: tunnel(SETTINGS, { envelope: 502 }).answer },
    "the test error did not reach sentry.test: status 502",
    "check SENTRY_DSN",
  ],
  [
    "a tunnel that refuses spans",
    { html: PAGE, script: TRACER, tunnel: tunnel(SETTINGS, { spans: 429 }).answer },
    "the tunnel refused the test span: status 429",
    "look at the log of your app",
  ],
]

test.each(MISSING)("doctor names %s and the fix, and exits with 1", async (_, site, finding, fix) => {
  const { output, error, code } = await doctor(await serve(site))
  const lines = output.split("\n")
  const index = lines.indexOf(`problem  ${finding}`)
  expect(lines).toContain(`problem  ${finding}`)
  expect(lines[index + 1]).toContain(fix)
  expect([error, code]).toEqual(["1 problem found", 1])
})

test("doctor says that the name of an app has no address on this machine", async () => {
  const { error, code } = await doctor("http://nobody.invalid:3000")
  expect([error, code]).toEqual([
    "No app answers at http://nobody.invalid:3000/: nobody.invalid has no address here",
    3,
  ])
})

test("doctor exits with 3 where no app answers, and with 2 on an address that is none", async () => {
  const address = `http://127.0.0.1:${await freePort()}`
  expect(await doctor(address)).toMatchObject({
    error: expect.stringContaining(`No app answers at ${address}`),
    code: 3,
  })
  expect(await doctor("shop")).toMatchObject({
    error: expect.stringContaining("is not the address of an app"),
    code: 2,
  })
})
