import type { ChildProcess } from "node:child_process"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { removeDirectory, temporaryDirectory } from "#tests/inspector/store/directories.ts"
import { clientOf, forkStore, portOf, stop, TOKEN } from "#tests/inspector/store/process/processes.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { notFoundStatus } from "./not-found.ts"

/** The app uses a ClickHouse that only this test uses, so that the test can break it. */
const directory = temporaryDirectory()
let clickhouse: ChildProcess
let port: number
let sentry: RecordingSentry
let app: RunningApp
let browser: Browser
let page: Page
/** The pageload root of the page that the tests of a group share. */
let pageload: Payload

beforeAll(async () => {
  clickhouse = forkStore()
  port = await portOf(clickhouse, directory)
  sentry = await new RecordingSentry().listen()
  app = await RunningApp.start({
    SENTRY_DSN: sentry.dsn,
    CLICKHOUSE_URL: `http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`,
  })
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await sentry?.close()
  await stop(clickhouse)
  removeDirectory(directory)
})

beforeEach(() => sentry.clear())

/** Opens a new page for each test of a group. */
function openPageForEach(): void {
  beforeEach(async () => void (page = await browser.newPage()))
  afterEach(() => page.close())
}

/** Opens one page for all tests of a group, since loading its Sentry client takes longer than the tests. */
function openPageForAll(path: string): void {
  beforeAll(async () => {
    page = await browser.newPage()
    pageload = await open(path)
  })
  afterAll(() => page.close())
}

/** Resolves when the page's Sentry client, which loads when the page is idle, has sent the pageload. */
async function open(path: string): Promise<Payload> {
  await page.goto(`${app.url}${path}`)
  return sentry.waitForTransaction("the pageload", (event) => event["contexts"].trace.op === "pageload")
}

async function throwInPage(script: string): Promise<void> {
  await page.evaluate((code) => {
    setTimeout(new Function(code) as () => void)
  }, script)
}

/** Throws an error that is reported, after one that must not be. Once it has arrived, the other would have arrived too. */
async function expectOnly(message: string): Promise<void> {
  await throwInPage(`throw new Error(${JSON.stringify(message)})`)
  await sentry.waitForError(message, (event) => event["exception"].values[0].value === message)
  expect(sentry.errors().map((event) => event["exception"].values[0].value)).toEqual([message])
}

describe("after the page has loaded", () => {
  openPageForAll("/connect")

  test("an uncaught error reaches Sentry once, on the page's trace and route", async () => {
    await throwInPage(`throw new TypeError("thrown in the page")`)
    const event = await sentry.waitForError("of the page", () => true)
    expect(event["exception"].values).toMatchObject([
      {
        type: "TypeError",
        value: "thrown in the page",
      },
    ])
    const handler = { type: "auto.browser.global_handlers.onerror", handled: false }
    expect(event["exception"].values[0].mechanism).toEqual(handler)
    expect(event["transaction"]).toBe("/connect")
    expect(event["contexts"].trace.trace_id).toBe(pageload["contexts"].trace.trace_id)
    expect(event["contexts"].trace.span_id).toBe(pageload["contexts"].trace.span_id)
    for (const { request, contexts } of [event, pageload]) {
      expect(request).toEqual({
        url: `${app.url}/connect`,
        headers: { "User-Agent": expect.stringContaining("Chrome") },
      })
      expect(contexts.react).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
      expect(contexts.otel.resource["service.name"]).toBe("pagespan-browser")
    }
    await sleep(300)
    expect(sentry.errors()).toHaveLength(1)
  })

  test("an unhandled rejection reaches Sentry with its mechanism", async () => {
    await page.evaluate(() => void Promise.reject(new Error("rejected in the page")))
    const event = await sentry.waitForError("of the rejection", () => true)
    expect(event["exception"].values[0]).toMatchObject({
      value: "rejected in the page",
      mechanism: { type: "auto.browser.global_handlers.onunhandledrejection", handled: false },
    })
  })

  test("an error includes its causes, up to five, and the members of an AggregateError", async () => {
    await throwInPage(`let error = new Error("0")
      for (let depth = 1; depth < 10; depth++) error = new Error(String(depth), { cause: error })
      throw error`)
    await throwInPage(`throw new AggregateError([new Error("a"), new TypeError("b")], "all")`)
    await waitFor("both", () => sentry.errors().length === 2)
    const values = sentry.errors().map(({ exception }) => exception.values.map(({ value }: Payload) => value))
    // Concurrent requests arrive in any order.
    expect(new Set(values)).toEqual(
      new Set([
        ["4", "5", "6", "7", "8", "9"],
        ["b", "a", "all"],
      ]),
    )
  })

  test("the text of an error reaches Sentry without queries and credentials", async () => {
    await throwInPage(`throw new Error("GET https://shop:hunter2@api.example/cart?token=hunter2hunter2 failed")`)
    const event = await sentry.waitForError("of the request", () => true)
    expect(event["exception"].values[0].value).toBe("GET https://api.example/cart failed")
    expect(JSON.stringify(event)).not.toContain("hunter2")
  })
})

describe("errors", () => {
  openPageForEach()

  test("an error before the Sentry client has loaded keeps its own time and trace", async () => {
    const before = Date.now() / 1_000
    await page.addInitScript(() => {
      const timer = setInterval(() => {
        if (!(Symbol.for("pagespan.page") in globalThis)) return
        clearInterval(timer)
        throw new RangeError("thrown early")
      }, 1)
    })
    pageload = await open("/connect")
    const event = await sentry.waitForError("thrown early", () => true)
    expect(event["exception"].values[0].value).toBe("thrown early")
    expect(event["exception"].values[0].stacktrace.frames.length).toBeGreaterThan(0)
    expect(event["contexts"].trace.trace_id).toBe(pageload["contexts"].trace.trace_id)
    expect(event["timestamp"]).toBeGreaterThan(before)
    expect(event["timestamp"]).toBeLessThan(pageload["timestamp"])
  })

  test("an error that the page filters is listed among the drops, as reported by a page", async () => {
    await open("/connect")
    await throwInPage(`throw new Error("ResizeObserver loop completed with undelivered notifications.")`)
    await throwInPage(`throw new Error("reported beside it")`)
    await sentry.waitForError("the other", () => true)
    // The page reports it with its next delivery, at the latest when it unloads.
    await page.goto("about:blank")
    const drop = await waitFor("the drop", async () => {
      const { dropped: drops } = (await (await fetch(`${app.url}/api/dropped`)).json()) as { dropped: Payload[] }
      return drops.find(({ stage, reason }) => stage === "page" && reason === "noisy_error")
    })
    expect(drop).toMatchObject({ category: "error", count: 1, sample: "reported by the browser SDK" })
    expect(sentry.errors().map(({ exception }) => exception.values[0].value)).toStrictEqual(["reported beside it"])
  })

  test("a component that fails in the page shows the client-side error view and reaches Sentry on that trace", async () => {
    await page.route(/\/traces\?.*_rsc=/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replaceAll('"traces":[', '"traces":[null,') })
    })
    await open("/")
    await page.click('a[href="/traces"]')
    const view = page.getByRole("main").getByRole("alert")
    await view.getByRole("heading", { name: "Application error: a client-side exception has occurred" }).waitFor()
    const event = await sentry.waitForError("of the boundary", () => true)
    expect(event["exception"].values[0].type).toBe("TypeError")
    expect(event["exception"].values[0].mechanism).toMatchObject({ type: "auto.react.error_boundary", handled: true })
    expect(event["transaction"]).toBe("/traces")
    await view.getByText(event["contexts"].trace.trace_id).waitFor()
    await page.unroute(/\/traces\?.*_rsc=/)
    const root = await sentry.waitForTransaction("of the navigation", ({ transaction, contexts }) => {
      return transaction === "/traces" && contexts.trace.op === "navigation"
    })
    expect(event["contexts"].trace).toMatchObject({
      trace_id: root["contexts"].trace.trace_id,
      span_id: root["contexts"].trace.span_id,
    })
    expect(sentry.errors()).toHaveLength(1)
    expect(await view.getByRole("button", { name: "Try again" }).isEnabled()).toBe(true)
  })
})

describe("an unknown URL", () => {
  openPageForEach()

  test("shows the app's own 404 page, and its trace is dropped and counted", async () => {
    const response = await page.goto(`${app.url}/no/such/page`)
    expect(response?.status()).toBe(404)
    await page.getByRole("heading", { name: "Page not found" }).waitFor()
    await page.click('a[href="/connect"]')
    await sentry.waitForTransaction("of the next page", (event) => event["transaction"] === "/connect")
    expect(sentry.transactions().map((event) => event["transaction"])).not.toContain("/_not-found")
    expect(sentry.transactions().map((event) => event["transaction"])).not.toContain("GET")
    expect(sentry.errors()).toEqual([])
    await waitFor("the drop", async () => {
      const answer = await fetch(`${app.url}/api/dropped?reason=not_found_trace`)
      return ((await answer.json()) as { dropped: object[] }).dropped.length > 0
    })
  })

  test("of a trace answers with a not-found page and status 404", async () => {
    const response = await page.goto(`${app.url}/traces/0000000000000000000000000000dead`)
    expect(notFoundStatus(response?.status(), (await response?.text()) ?? "")).toBe(404)
    expect(sentry.errors()).toEqual([])
  })
})

describe("a filtered error", () => {
  openPageForAll("/connect")

  test.each([
    [
      "a cross-origin script error without detail",
      `window.dispatchEvent(new ErrorEvent("error", { message: "Script error." }))`,
    ],
    [
      "a ResizeObserver notice",
      `window.dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop completed with undelivered notifications." }))`,
    ],
    [
      "a script that an extension injected",
      `const error = new Error("of an extension")
       error.stack = "Error: of an extension\\n    at run (chrome-extension://abcdef/inject.js:1:10)"
       throw error`,
    ],
    [
      "Next's redirect signal",
      `throw Object.assign(new Error("NEXT_REDIRECT"), { digest: "NEXT_REDIRECT;replace;/;307;" })`,
    ],
    [
      "Next's not-found signal",
      `throw Object.assign(new Error("NEXT_HTTP_ERROR_FALLBACK;404"), { digest: "NEXT_HTTP_ERROR_FALLBACK;404" })`,
    ],
    ["a wallet extension's error", `throw new TypeError('can\\'t redefine non-configurable property "solana"')`],
  ])("%s does not reach Sentry", async (what, script) => {
    await throwInPage(script)
    await expectOnly(`the app's own error after ${what}`)
  })

  test("of a ResizeObserver loop in the browser itself does not reach Sentry", async () => {
    await page.evaluate(() => {
      const box = document.createElement("div")
      document.body.append(box)
      let width = 10
      new ResizeObserver(() => (box.style.width = `${(width += 10)}px`)).observe(box)
      box.style.width = "15px"
    })
    await sleep(200)
    await expectOnly("the app's own error after a loop")
  })
})

describe("a failing server component", () => {
  openPageForEach()

  test("shows the server-side error view with the digest, and reaches Sentry once, on the server's trace", async () => {
    await clientOf(port).command({ query: "RENAME TABLE pagespan_spans TO pagespan_spans_away" })
    const response = await page.goto(`${app.url}/traces`)
    await page.getByRole("heading", { name: "Application error: a server-side exception has occurred" }).waitFor()
    const event = await sentry.waitForError("of the server", () => true)
    const shown = await page.getByRole("main").getByRole("alert").innerText()
    expect(event["platform"]).toBe("node")
    expect(event["exception"].values.at(-1).mechanism).toMatchObject({
      type: "auto.function.nextjs.on_request_error",
      handled: false,
    })
    expect(event["contexts"].nextjs).toMatchObject({ router_path: "/traces", route_type: "render" })
    expect(event["transaction"]).toBe("GET /traces")
    // The page sends it after all earlier errors.
    pageload = await sentry.waitForTransaction("the pageload", (tx) => tx["contexts"].trace.op === "pageload")
    expect(event["contexts"].trace.trace_id).toBe(pageload["contexts"].trace.trace_id)
    expect(shown).toContain(pageload["contexts"].trace.trace_id)
    expect(shown).toMatch(/Digest\s+\d+/)
    expect(response?.headers()["content-type"]).toContain("text/html")
    expect(sentry.errors()).toHaveLength(1)
    await clientOf(port).command({ query: "RENAME TABLE pagespan_spans_away TO pagespan_spans" })
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("heading", { name: "Application error" }).waitFor({ state: "detached" })
  })
})
