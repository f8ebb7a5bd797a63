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
import { notFoundStatus } from "./not-found.ts"
import { ask, type PlainAnswer } from "./plain-request.ts"

/** Properties of every URL of the app, whether it exists or not. Screens are requested concurrently. */
let app: RunningApp
let browser: Browser
const pageErrors: string[] = []
/** The number of browser pages that load URLs concurrently. */
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

/** The signs of a stack, of this machine and of the running versions in a response. */
function leaks(answer: PlainAnswer): string[] {
  const text = `${JSON.stringify(answer.headers)}\n${answer.body.toString("latin1")}`
  return LEAKS.filter((sign) => (typeof sign === "string" ? text.includes(sign) : sign.test(text))).map(String)
}

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string }).version

const LEAKS: readonly (string | RegExp)[] = [
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
  test.each(errorRequests())(
    "of $what at $path has status $status and contains no stack, path or version",
    async (given) => {
      const answer = await ask(app.url, given.path, given)
      expect(answer.status).toBe(given.status)
      expect(leaks(answer)).toEqual([])
      expect(answer.body.toString()).not.toContain(app.dataDirectory)
    },
  )

  const ofOtlp = errorRequests().filter(({ path, method }) => path.includes("/v1/") && method === "POST")

  test.each(ofOtlp)("of $what at $path is a Status in the encoding of the request", async (given) => {
    const { headers, body } = await ask(app.url, given.path, given)
    const isProtobuf = given.headers?.["content-type"] === "application/x-protobuf"
    expect(headers["content-type"]).toBe(isProtobuf ? "application/x-protobuf" : "application/json")
    const answered = isProtobuf ? otlpType("Status").decode(body).toJSON() : (JSON.parse(body.toString()) as object)
    expect(answered).toEqual({ code: expect.any(Number), message: expect.stringMatching(/\w+ \w+/) })
  })
})

test("the icon that browsers ask for before a page has named one is there", async () => {
  const { status, headers } = await ask(app.url, "/favicon.ico")
  expect([status, headers["content-type"]]).toEqual([200, "image/svg+xml"])
})

describe("a malformed or unknown URL", () => {
  const addresses = brokenAddresses()

  test("is tested on every screen, at least 60 in all", () => {
    expect(addresses.length).toBeGreaterThanOrEqual(60)
  })

  test.concurrent.each(addresses)("$path has a plain response", async ({ path, statuses }) => {
    const answer = await askFollowing(path)
    expect(statuses).toContain(
      statuses.includes(200) ? answer.status : notFoundStatus(answer.status, answer.body.toString()),
    )
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(leaks(answer)).toEqual([])
  })

  /** Follows at most one redirect, which must stay within the app: the old form of a URL redirects to the new one. */
  async function askFollowing(path: string): Promise<PlainAnswer> {
    const answer = await ask(app.url, path)
    if (answer.status !== 307) return answer
    expect(answer.headers.location).toMatch(/^\/[^/\\]/)
    return ask(app.url, answer.headers.location ?? "")
  }

  test("shows a page in a browser, and no script fails", async () => {
    const paths = screens().flatMap(worstOf).values()
    await Promise.all(Array.from({ length: PAGES }, () => showAll(paths)))
    expect(pageErrors).toEqual([])
  })

  /** Loads the URLs that no other page has taken. */
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

  /** The URLs of a screen with the most work for its client code. Loading all of them takes too long. */
  function worstOf(screen: string): string[] {
    const own = addresses.filter((address) => address.screen === screen).map(({ path }) => path)
    return own.filter((path) => /=%3Cscript|\/f{32}$/.test(path))
  }

  test("writes no stack into the log", () => {
    expect(app.output).not.toMatch(/\n\s+at /)
  })
})

describe("the headers", () => {
  const isDynamic = (value: string | undefined) => expect(value).toMatch(/(?:^|, )no-store(?:,|$)/)

  test.concurrent.each([...screens().map((screen) => addressOf(screen)), "/no/such/page", "/traces/%"])(
    "of %s allow only its own code, no framing and no caching",
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
      for (const [name, sources] of policy) expect(sources?.every((source) => isOwnSource(source, name))).toBe(true)
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
    "of %s %s allow no type sniffing, no caching and no other origin",
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

/** Whether a source of a directive allows only what this server serves. */
function isOwnSource(source: string, directive: string | undefined): boolean {
  return source === "'self'" || source === "'none'" || (directive === "script-src" && source.startsWith("'nonce-"))
}
