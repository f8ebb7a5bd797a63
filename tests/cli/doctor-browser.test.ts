import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { createParser } from "#otel/cli/parser.ts"
import { freePort } from "#tests/support/free-port.ts"

/** Pages that post what a tracer posts, in a real browser. `tests/cli/doctor-real-app.test.ts` has a real tracer. */

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SETTINGS = {
  service: "shop-browser",
  environment: "test",
  dsn: "https://key@sentry.test/1",
  tunnel: "/monitoring",
}
const escaped = (value: unknown) => JSON.stringify(value).replaceAll('"', "&quot;")

const SPAN = {
  traceId: TRACE,
  spanId: "b7ad6b7169203331",
  name: "/items/[id]",
  attributes: [{ key: "sentry.op", value: { stringValue: "pageload" } }],
}
const SPANS = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] })

/** Posts a root, and each error that nothing catches, as a page of Pagespan does. */
const SCRIPT = `/* pagespan */
const post = (body, type) => fetch("/monitoring", { method: "POST", body, headers: { "content-type": type } }).catch(() => {})
post(${JSON.stringify(SPANS)}, "application/json")
addEventListener("error", ({ message }) => post(
  JSON.stringify({ event_id: "0123456789abcdef0123456789abcdef" }) + "\\n" + JSON.stringify({ type: "event" }) + "\\n" +
  JSON.stringify({ message, contexts: { trace: { trace_id: "${TRACE}" } } }), "text/plain"))`

interface Site {
  readonly settings?: object
  readonly script?: string
  readonly policy?: string
  readonly tunnel?: (type: string, response: ServerResponse) => void
}

async function serve({ settings = SETTINGS, script = SCRIPT, policy, tunnel }: Site): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    for await (const chunk of request) void chunk
    const type = request.headers["content-type"] ?? ""
    if (request.url === "/monitoring" && tunnel) return tunnel(type, response)
    if (request.url === "/monitoring" && type.includes("settings")) return response.end(JSON.stringify(settings))
    if (request.url === "/monitoring") return response.writeHead(204).end()
    if (request.url === "/app.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(script)
    if (request.url !== "/items/1") return response.writeHead(404).end("not here")
    if (policy !== undefined) response.setHeader("content-security-policy", policy)
    response.setHeader("content-type", "text/html")
    return response.end(
      `<head><meta name="pagespan" content="${escaped(settings)}"/></head><script src="/app.js"></script>`,
    )
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Runs `pagespan doctor` without an inspector. */
async function doctor(app: string): Promise<{ lines: string[]; error: string | undefined }> {
  const lines: string[] = []
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(...line.split("\n")))
  onTestFinished(() => void print.mockRestore())
  const error = await createParser(["doctor", app, "--url", `http://127.0.0.1:${await freePort()}`])
    .parseAsync()
    .then(
      () => undefined,
      (thrown: Error) => thrown.message,
    )
  return { lines, error }
}

test("doctor opens the page in a browser, throws an error in it, and says what was sent under which name", async () => {
  const { lines, error } = await doctor(`${await serve({})}/items/1`)
  expect(lines).toEqual([
    "ok       the page answers 200",
    "ok       the page loads Pagespan's tracer",
    "ok       the page has the settings of the server, and traces as shop-browser",
    "ok       the tunnel /monitoring answers",
    "ok       the page sent the page load /items/[id] to /monitoring",
    "ok       sentry.test accepted the test error, event 0123456789abcdef0123456789abcdef",
    expect.stringMatching(/^note {5}no inspector answers at /),
  ])
  expect(error).toBeUndefined()
}, 60_000)

const MISSING: readonly (readonly [what: string, site: Site, finding: RegExp, fix: string])[] = [
  [
    "a content security policy that blocks the tunnel",
    { policy: "default-src 'self'; connect-src https://api.shop.test" },
    /^problem {2}the content security policy does not let pages connect to \/monitoring$/,
    "add 'self' to connect-src",
  ],
  [
    "a DSN that refuses",
    {
      tunnel: (type, response) =>
        type.includes("settings")
          ? response.end(JSON.stringify(SETTINGS))
          : response.writeHead(type.startsWith("text/plain") ? 403 : 204).end(),
    },
    /^problem {2}the test error did not reach sentry\.test: \/monitoring answered 403$/,
    "check SENTRY_DSN: its key or its project is unknown",
  ],
  [
    "a sampling ratio of 0",
    { settings: { ...SETTINGS, sampleRate: 0 }, script: SCRIPT.replace(/^post\(.*$/m, "") },
    /^problem {2}no trace is sampled, so only errors arrive$/,
    "OTEL_TRACES_SAMPLER_ARG to a ratio above 0",
  ],
  [
    "a tracer that sends nothing",
    { script: "/* pagespan */" },
    /^problem {2}the page sent no span$/,
    "look at the console of the page in a browser",
  ],
]

test.each(MISSING)(
  "doctor sees in the browser %s, and names the fix",
  async (_, site, finding, fix) => {
    const { lines, error } = await doctor(`${await serve(site)}/items/1`)
    const index = lines.findIndex((line) => finding.test(line))
    expect(lines[index]).toMatch(finding)
    expect(lines[index + 1]).toContain(fix)
    expect(error).toMatch(/problems? found$/)
  },
  60_000,
)

test("doctor notes what a policy blocks of others, as no problem of Pagespan's", async () => {
  const script = `${SCRIPT}
document.head.append(Object.assign(document.createElement("script"), { src: "https://counter.test/count.js" }))`
  const { lines } = await doctor(`${await serve({ policy: "script-src 'self'", script })}/items/1`)
  expect(lines.join("\n")).toMatch(
    /note {5}the content security policy blocks what is not Pagespan's: .*counter\.test\/count\.js/,
  )
  expect(lines.filter((line) => /^problem .*policy/.test(line))).toEqual([])
}, 60_000)

test("doctor says in the browser's words what a policy blocks", async () => {
  const { lines } = await doctor(`${await serve({ policy: "connect-src 'none'" })}/items/1`)
  expect(lines.join("\n")).toMatch(/problem {2}the content security policy blocks: .*\/monitoring.*connect-src/)
  expect(lines.join("\n")).toMatch(/problem {2}the page sent no span\n *change the content security policy, as above/)
}, 60_000)

test("doctor takes a page that does not exist for a wrong address, such as one without the basePath", async () => {
  const { lines } = await doctor(`${await serve({})}/`)
  expect(lines[0]).toBe("problem  the page answers 404")
  expect(lines[1]).toContain("with the basePath of next.config")
}, 60_000)

test.each([
  ["CHROMIUM_PATH", "/no/such/browser", "CHROMIUM_PATH names no file"],
  ["PATH", "", "no Chromium is installed here"],
])("doctor without an installed browser says so, and sends the test error itself: %s=%s", async (name, value, why) => {
  vi.stubEnv("CHROMIUM_PATH", undefined)
  vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { lines, error } = await doctor(`${await serve({})}/items/1`)
  expect(error).toBeUndefined()
  expect(lines[0]).toBe(`note     ${why}: the test error is sent without opening the page`)
  expect(lines).toContainEqual(
    expect.stringMatching(/^ok {7}sentry\.test accepted the test error, event [0-9a-f]{32}$/),
  )
})

test("doctor survives a browser that does not start", async () => {
  vi.stubEnv("CHROMIUM_PATH", "/bin/false")
  onTestFinished(() => void vi.unstubAllEnvs())
  const { lines } = await doctor(`${await serve({})}/items/1`)
  expect(lines.join("\n")).toMatch(
    /problem {2}the browser did not open the page: .*the browser ended\n.*set CHROMIUM_PATH/,
  )
}, 60_000)
