import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { policyFindings } from "#otel/cli/doctor/content-policy.ts"
import { directoryFindings } from "#otel/cli/doctor/directory-findings.ts"
import { listenForSpans } from "#otel/cli/doctor/span-listener.ts"
import { startApp } from "#otel/cli/doctor/start-app.ts"
import { createParser } from "#otel/cli/parser.ts"
import { freePort } from "#tests/support/free-port.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

describe("a content security policy", () => {
  const page = new URL("https://shop.test/cart")
  const tunnel = new URL("https://shop.test/monitoring")
  const dsn = "https://key@o1.ingest.sentry.test/1"

  test.each([
    [null, []],
    ["", []],
    ["script-src 'self'", []],
    ["connect-src 'self'", []],
    ["default-src 'self'", []],
    ["connect-src *", []],
    ["connect-src https:", []],
    ["connect-src shop.test", []],
    ["connect-src https://*.shop.test", ["add 'self' to connect-src"]],
    ["connect-src 'none'", ["add 'self' to connect-src"]],
    ["default-src 'none'; script-src 'self'", ["add connect-src 'self'"]],
    ["connect-src 'self', connect-src https://api.test", ["add 'self' to connect-src"]],
  ])("%j with a tunnel needs %j", (policy, fixes) => {
    expect(policyFindings(policy, { page, tunnel, dsn }).map(({ fix }) => fix)).toEqual(fixes)
  })

  test.each([
    ["connect-src 'self'", ["add https://o1.ingest.sentry.test to connect-src"]],
    ["connect-src 'self' *.ingest.sentry.test", []],
  ])("%j without a tunnel needs %j", (policy, fixes) => {
    expect(policyFindings(policy, { page, tunnel: undefined, dsn }).map(({ fix }) => fix)).toEqual(fixes)
  })
})

async function app(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await temporaryDirectory()
  for (const [path, text] of Object.entries({ "package.json": "{}", ...files })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

const PACKAGE = (version: string) => JSON.stringify({ name: "p", version })
/** All that doctor looks for, so that it finds none in a folder above. */
const INSTALLED = Object.fromEntries(
  ["pagespan", "@sentry/nextjs", "@sentry/opentelemetry", "@vercel/otel", "@opentelemetry/sdk-node"].map((name) => [
    `node_modules/${name}/package.json`,
    PACKAGE("1.0.0"),
  ]),
)

describe("the directory of an app", () => {
  test("that init would change is named with its files", async () => {
    const [first] = await directoryFindings(await app({ "app/layout.jsx": "export default () => null\n" }))
    expect(first?.text).toMatch(/^these files lack a part of Pagespan: next\.config\.mjs, instrumentation\.js/)
    expect(first?.fix).toBe("run pagespan init")
  })

  test.each([
    ["npm", "package-lock.json"],
    ["pnpm", "pnpm-lock.yaml"],
  ])(
    "with two copies of OpenTelemetry's API is named with the packages that have them, by %s",
    async (program, lock) => {
      const directory = await app({
        [lock]: "",
        "app/layout.jsx": "",
        ...INSTALLED,
        "node_modules/@opentelemetry/api/package.json": PACKAGE("1.9.1"),
        "node_modules/@vercel/otel/node_modules/@opentelemetry/api/package.json": PACKAGE("1.8.0"),
      })
      expect(await directoryFindings(directory)).toContainEqual({
        text: "there are 2 copies of @opentelemetry/api, and each has its own tracer: 1.9.1 for pagespan, 1.8.0 for @vercel/otel",
        fix: `let all use one: list @opentelemetry/api@~1.9.1 in package.json, and run ${program} dedupe`,
      })
    },
  )

  test("with one copy, or that is no app, has no such finding", async () => {
    const one = await app({
      "app/layout.jsx": "",
      ...INSTALLED,
      "node_modules/@opentelemetry/api/package.json": PACKAGE("1.9.1"),
    })
    expect((await directoryFindings(one)).filter(({ text }) => text.includes("copies"))).toEqual([])
    expect(await directoryFindings(await temporaryDirectory())).toEqual([])
  })
})

/** Stands for `next`: answers with the word that it was started with. */
const NEXT = `const words = process.argv.slice(2, process.argv.indexOf("--port")).join(" ")
const valueOf = (option) => process.argv[process.argv.indexOf(option) + 1]
if (process.env.FAIL) { console.error("\\u001b[31mno database"); process.exit(1) }
require("node:http").createServer((_, response) => {
  if (process.env.BROKEN) {
    console.error(" \\u001b[31m⨯ Error: no variables\\u001b[0m\\n    at page (app/page.jsx:1:2)")
    response.writeHead(500)
  }
  response.end(words + " " + process.env.GIVEN)
}).listen(valueOf("--port"), valueOf("--hostname"))`
const LAYOUT = `export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

describe("an app that doctor starts", () => {
  const files = (extra: Readonly<Record<string, string>> = {}) =>
    app({
      "app/page.jsx": "",
      "next.config.mjs": "",
      "node_modules/next/package.json": JSON.stringify({ name: "next", version: "16.4.6" }),
      "node_modules/next/dist/bin/next": NEXT,
      ...extra,
    })

  async function started(directory: string): Promise<string> {
    const { url, how, stop } = await startApp(directory, { GIVEN: "yes" })
    onTestFinished(stop)
    return `${how}: ${await (await fetch(url)).text()}`
  }

  test("runs from its build, and without one, or with one from before init's edits, in development", async () => {
    expect(await started(await files())).toBe("next dev: dev yes")
    const built = await files({ ".next/BUILD_ID": "1" })
    utimesSync(join(built, "next.config.mjs"), 1, 1)
    expect(await started(built)).toBe("next start: start yes")
    utimesSync(join(built, ".next/BUILD_ID"), 0.5, 0.5)
    expect(await started(built)).toBe("next dev: dev yes")
  })

  test.each([
    ["next dev --webpack", "dev --webpack"],
    ["cross-env COLOR=1 next dev --turbopack -p 3000", "dev --turbopack"],
    ["next dev -p 3000", "dev"],
  ])("runs in development by the bundler of its script %s", async (dev, words) => {
    const manifest = JSON.stringify({ dependencies: {}, scripts: { dev } })
    expect(await started(await files({ "package.json": manifest }))).toBe(`next ${words}: ${words} yes`)
  })

  test("has the host that it is developed on, so that its middleware's rewrites stay within it", async () => {
    const { url, stop } = await startApp(await files(), {})
    onTestFinished(stop)
    expect(new URL(url).hostname).toBe("localhost")
  })

  test("ends with doctor, and shows its output when it does not start", async () => {
    const { url, stop } = await startApp(await files(), {})
    await stop()
    await expect(fetch(url)).rejects.toThrow("fetch failed")
    await expect(startApp(await files(), { FAIL: "1" })).rejects.toThrow(
      /next dev did not start your app:\n.*no database/,
    )
  })

  test("leaves no listener on doctor's process once it is stopped, or when it does not start", async () => {
    const before = process.listeners("exit")
    const { stop } = await startApp(await files(), {})
    await stop()
    await startApp(await files(), { FAIL: "1" }).catch(() => undefined)
    expect(process.listeners("exit")).toStrictEqual(before)
  })
})

/** The lines that the test prints, which also ends the variables that it sets. */
function printedLines(): string[] {
  const lines: string[] = []
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => {
    print.mockRestore()
    vi.unstubAllEnvs()
  })
  return lines
}

test("doctor shows what an app that it has started wrote, where its page fails", async () => {
  const directory = await app({
    "app/layout.jsx": LAYOUT,
    "node_modules/next/package.json": JSON.stringify({ name: "next", version: "16.4.6" }),
    "node_modules/next/dist/bin/next": NEXT,
  })
  vi.stubEnv("BROKEN", "1")
  const lines = printedLines()
  const words = ["doctor", directory, "--no-browser", "--url", `http://127.0.0.1:${await freePort()}`]
  await expect(createParser(words).parseAsync()).rejects.toThrow(/found$/)
  const place = lines.indexOf("problem  the page answers 500")
  expect(lines.slice(place + 1, place + 4)).toEqual([
    "         look at the log of your app",
    "            ⨯ Error: no variables",
    "               at page (app/page.jsx:1:2)",
  ])
})

test("init ends with doctor where it is asked to, also without anything to change", async () => {
  const directory = await app({
    "app/layout.jsx": LAYOUT,
    "node_modules/next/package.json": JSON.stringify({ name: "next", version: "16.4.6" }),
    "node_modules/next/dist/bin/next": NEXT,
  })
  vi.stubEnv("CHROMIUM_PATH", "/no/such/browser")
  vi.stubEnv("PORT", String(await freePort()))
  const lines = printedLines()
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true)
  onTestFinished(() => void write.mockRestore())
  const words = ["init", directory, "--yes", "--no-install", "--check"]
  await expect(createParser(words).parseAsync()).rejects.toThrow(/problems? found$/)
  expect(lines).toContain("ok       the app's files have what Pagespan needs")
  expect(lines).toContain("ok       next dev started the app")
  expect(lines).toContain("problem  no script of the page holds Pagespan's tracer")
  lines.length = 0
  await expect(createParser(words).parseAsync()).rejects.toThrow(/problems? found$/)
  expect(lines).toContain("Nothing to change")
  expect(lines).toContain("ok       next dev started the app")
})

test("without an inspector the spans of an app that doctor starts arrive at the command itself", async () => {
  const { url, spansOf, stop } = await listenForSpans()
  const traceId = "0af7651916cd43dd8448eb211c80319c"
  const span = {
    traceId,
    spanId: "b7ad6b7169203331",
    name: "GET /",
    kind: 2,
    startTimeUnixNano: "1",
    endTimeUnixNano: "2",
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  const headers = { "content-type": "application/json", "content-encoding": "gzip" }
  const response = await fetch(`${url}/v1/traces`, { method: "POST", body: new Uint8Array(gzipSync(body)), headers })
  expect(response.status).toBe(200)
  expect(spansOf(traceId).map(({ name }) => name)).toEqual(["GET /"])
  for (const broken of ["{", "\u001f\u008b"])
    expect((await fetch(`${url}/v1/traces`, { method: "POST", body: broken, headers })).status).toBe(200)
  await stop()
  await expect(fetch(url)).rejects.toThrow("fetch failed")
})
