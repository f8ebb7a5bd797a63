import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { otlpType } from "#otel/protocol/otlp/message.ts"
import { scanRoutes } from "#otel/sdk/routes/scan.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { addressOf, brokenAddresses, screens, STORED_TRACE } from "./broken-addresses.ts"
import { errorRequests } from "./error-requests.ts"
import { ask, type PlainAnswer } from "./plain-request.ts"

/** What holds at every address of the app, those that are there and those that are not. Screens are asked for side by side. */
let app: RunningApp
let browser: Browser
const pageErrors: string[] = []
/** Pages that show addresses side by side. */
const PAGES = 3

beforeAll(async () => {
  ;[app, browser] = await Promise.all([RunningApp.start({ PAGESPAN_SELF: "off" }), launchChromium()])
  await storeTrace()
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

async function storeTrace(): Promise<void> {
  const now = `${Date.now()}000000`
  const span = {
    traceId: STORED_TRACE,
    spanId: "ab".repeat(8),
    name: "stored",
    startTimeUnixNano: now,
    endTimeUnixNano: now,
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${app.url}/v1/traces`, { method: "POST", headers: { "content-type": "application/json" }, body })
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${STORED_TRACE}`)).ok)
}

/** Of a stack, of this machine, and of the versions that run here. */
function leaks(answer: PlainAnswer): string[] {
  const text = `${JSON.stringify(answer.headers)}\n${answer.body.toString("latin1")}`
  return TELLING.filter((sign) => (typeof sign === "string" ? text.includes(sign) : sign.test(text))).map(String)
}

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string }).version

const TELLING: readonly (string | RegExp)[] = [
  /\n\s+at \S+/,
  /\w\.[cm]?[jt]sx?:\d+/,
  /"(?:server|x-powered-by)":/i,
  /node:internal|ENOENT|SyntaxError|TypeError|ClickHouse|Code: \d+/,
  "node_modules",
  "/srv/secret.ts",
  process.cwd(),
  `${homedir()}/`,
  process.versions.node,
  versionOf("next"),
  versionOf("react"),
]

describe("a refusal", () => {
  test.each(errorRequests())("of $what at $path is $status, and tells no stack, path or version", async (given) => {
    const answer = await ask(app.url, given.path, given)
    expect(answer.status).toBe(given.status)
    expect(leaks(answer)).toEqual([])
    expect(answer.body.toString()).not.toContain(app.dataDirectory)
  })

  const ofOtlp = errorRequests().filter(({ path, method }) => path.includes("/v1/") && method === "POST")

  test.each(ofOtlp)("of $what at $path is a Status in the encoding of the request", async (given) => {
    const { headers, body } = await ask(app.url, given.path, given)
    const isProtobuf = given.headers?.["content-type"] === "application/x-protobuf"
    expect(headers["content-type"]).toBe(isProtobuf ? "application/x-protobuf" : "application/json")
    const told = isProtobuf ? otlpType("Status").decode(body).toJSON() : (JSON.parse(body.toString()) as object)
    expect(told).toEqual({ code: expect.any(Number), message: expect.stringMatching(/\w+ \w+/) })
  })
})

describe("an address that nobody meant", () => {
  const addresses = brokenAddresses()

  test("is one of at least 60, over every screen", () => {
    expect(addresses.length).toBeGreaterThanOrEqual(60)
  })

  test.concurrent.each(addresses)("$path is answered plainly", async ({ path, statuses }) => {
    const answer = await askOnwards(path)
    expect(statuses).toContain(answer.status)
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(leaks(answer)).toEqual([])
  })

  /** An older form of an address leads to its newer one, once, and to nowhere else. */
  async function askOnwards(path: string): Promise<PlainAnswer> {
    const answer = await ask(app.url, path)
    if (answer.status !== 307) return answer
    expect(answer.headers.location).toMatch(/^\/[^/\\]/)
    return ask(app.url, answer.headers.location ?? "")
  }

  test("shows a page in a browser, and nothing in it fails", async () => {
    const paths = screens().flatMap(worstOf).values()
    await Promise.all(Array.from({ length: PAGES }, () => showAll(paths)))
    expect(pageErrors).toEqual([])
  })

  /** All that no other page has taken yet. */
  async function showAll(paths: Iterable<string>): Promise<void> {
    const page = await browser.newPage()
    page.on("pageerror", (error) => pageErrors.push(error.message))
    for (const path of paths) {
      const response = await page.goto(`${app.url}${path}`, { waitUntil: "domcontentloaded" })
      await page.locator("h1").first().waitFor()
      const heading = await page.locator("h1").first().textContent()
      expect(`${path}: ${heading}`).not.toMatch(/exception|Internal Server Error/)
      expect(response?.status()).toBeLessThan(500)
    }
    await page.close()
  }

  /** A page takes its time: of each screen some of its addresses, those that its client code has most to do with. */
  function worstOf(screen: string): string[] {
    const own = addresses.filter((address) => address.screen === screen).map(({ path }) => path)
    return own.filter((path) => /=%3Cscript|\/f{32}$/.test(path))
  }

  test("is no reason to write a stack into the log", () => {
    expect(app.output).not.toMatch(/\n\s+at /)
  })
})

describe("the headers", () => {
  const isDynamic = (value: string | undefined) => expect(value).toMatch(/(?:^|, )no-store(?:,|$)/)

  test.concurrent.each([...screens().map((screen) => addressOf(screen)), "/no/such/page", "/traces/%"])(
    "of %s let it run its own code alone, in no frame, and be kept nowhere",
    async (path) => {
      const { headers } = await ask(app.url, path)
      const policy = new Map(
        String(headers["content-security-policy"])
          .split("; ")
          .map((part) => [part.split(" ", 1)[0], part.split(" ").slice(1)]),
      )
      expect(policy.get("default-src")).toEqual(["'none'"])
      expect(policy.get("frame-ancestors")).toEqual(["'none'"])
      expect(policy.get("base-uri")).toEqual(["'none'"])
      for (const [name, sources] of policy) expect(sources?.every((source) => mayBe(source, name))).toBe(true)
      expect(headers).toMatchObject({
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      })
      expect(headers).not.toHaveProperty("access-control-allow-origin")
      isDynamic(headers["cache-control"])
    },
  )

  const handlers = scanRoutes(".", "route").map((route) => addressOf(route.replace("[project]", "1")))

  test.concurrent.each(handlers.flatMap((path) => ["GET", "POST", "OPTIONS"].map((method) => [method, path] as const)))(
    "of %s %s say what it is, keep it nowhere, and let no other page read it",
    async (method, path) => {
      const { headers, status } = await ask(app.url, path, {
        method,
        headers: { origin: "https://evil.example", "content-type": "application/json" },
        ...(method === "POST" && { body: "{}" }),
      })
      expect([204, 403, 404, 405]).toContain(status)
      expect(headers["x-content-type-options"]).toBe("nosniff")
      expect(headers).not.toHaveProperty("access-control-allow-origin")
      expect(headers).not.toHaveProperty("access-control-allow-credentials")
      isDynamic(headers["cache-control"])
    },
  )
})

/** Text in a policy that lets nothing in but what this server itself serves. */
function mayBe(source: string, directive: string | undefined): boolean {
  return source === "'self'" || source === "'none'" || (directive === "script-src" && source.startsWith("'nonce-"))
}
