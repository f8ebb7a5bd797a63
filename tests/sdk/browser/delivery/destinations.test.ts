import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "../app-under-test.ts"
import { isRoot, pageloadOf, route, shows, visit, waitInPage } from "../visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest
let page: Page

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
})

afterAll(async () => {
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())
afterEach(() => page?.context().close())

async function throwInPage(message: string): Promise<void> {
  await page.evaluate((text) => void setTimeout(() => Promise.reject(new Error(text)), 0), message)
}

const ofPage = ({ headers }: { readonly headers: Record<string, unknown> }) => headers["origin"] === app.origin

describe("without a tunnel", () => {
  beforeAll(async () => {
    app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn, PAGESPAN_TUNNEL: "off" } })
  })
  afterAll(() => app?.stop())

  test("the page posts to the ingest endpoint of the DSN, across origins and without a preflight", async () => {
    const preflights: string[] = []
    page = await (await browser.newContext()).newPage()
    page.on("request", (request) => {
      if (request.method() === "OPTIONS") preflights.push(request.url())
    })
    await page.goto(`${app.origin}/items/1`)
    await waitInPage(page, () => "appRouter" in window)
    await throwInPage("direct")
    await sentry.waitForError("direct", (event) => event["exception"].values[0].value === "direct")
    await sentry.waitForTransaction("the pageload", isRoot)
    const requests = sentry.requests.filter(ofPage)
    expect(requests.length).toBeGreaterThanOrEqual(2)
    for (const { path, headers } of requests) {
      const { pathname, searchParams } = new URL(path, "http://sentry")
      expect([pathname, searchParams.get("sentry_key"), searchParams.get("sentry_version")]).toEqual([
        "/api/42/envelope/",
        sentry.key,
        "7",
      ])
      // Another origin gets no drops of the page, and no header that would need a preflight.
      expect(headers).not.toHaveProperty("pagespan-drops")
      expect(headers["content-type"]).toBe("text/plain;charset=UTF-8")
    }
    expect(preflights).toEqual([])
  })

  test("the client reports have no dropped spans, since the page exports to no collector", async () => {
    page = await visit(browser, `${app.origin}/items/1`)
    await pageloadOf(page, sentry)
    // The page leaves and comes back. What it drops as it leaves is in the reports of the next time.
    for (const message of ["first", "second"]) {
      await page.evaluate(() => {
        for (const name of ["pagehide", "pageshow"])
          window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }))
      })
      await throwInPage(message)
      await sentry.waitForError(message, ({ exception }) => exception.values[0].value === message)
    }
    const reported = sentry.items("client_report").flatMap(({ payload }) => payload["discarded_events"] as Payload[])
    expect(reported.filter(({ category }) => category === "span")).toEqual([])
  })

  test("a page that unloads before its Sentry client has loaded posts there too", async () => {
    page = await (await browser.newContext()).newPage()
    await page.goto(`${app.origin}/items/1`, { waitUntil: "commit" })
    await waitInPage(page, () => Symbol.for("pagespan.page") in window)
    await page.evaluate(() => {
      window.dispatchEvent(new ErrorEvent("error", { error: new TypeError("too early"), message: "too early" }))
      window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }))
    })
    await sentry.waitForError("raw", ({ exception }) => exception.values[0].value === "too early")
    expect(sentry.requests.filter(ofPage).length).toBeGreaterThan(0)
  })
})

describe("with spans as a stream", () => {
  beforeAll(async () => {
    app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn, PAGESPAN_SPANS: "stream" } })
  })
  afterAll(() => app?.stop())

  const spans = () =>
    sentry
      .items("span")
      .flatMap(({ envelope, payload }) =>
        payload["items"].map((span: Payload) => ({ ...span, header: envelope.header }) as Payload),
      )
  const segment = (op: string, name: string) =>
    waitFor(`the segment ${name}`, () =>
      spans().find(
        (span) => span["is_segment"] && span["name"] === name && span["attributes"]["sentry.op"]?.value === op,
      ),
    )

  test("page and server send Sentry's second span protocol on one trace, and no transaction", async () => {
    page = await visit(browser, `${app.origin}/items/1`)
    const pageload = await segment("pageload", "/items/[id]")
    const server = await segment("http.server", "GET /items/[id]")
    expect(pageload["trace_id"]).toBe(server["trace_id"])
    expect(pageload["parent_span_id"]).toBe(server["span_id"])
    expect(pageload["header"].trace).toEqual(server["header"].trace)
    expect(pageload["header"].trace.trace_id).toBe(pageload["trace_id"])
    expect(pageload["attributes"]).toMatchObject({
      "sentry.trace_lifecycle": { value: "stream", type: "string" },
      "sentry.segment.name": { value: "/items/[id]", type: "string" },
      "sentry.segment.name.source": { value: "route", type: "string" },
      "url.full": { value: `${app.origin}/items/1`, type: "string" },
    })
    const children = spans().filter((span) => span["attributes"]["sentry.segment.id"]?.value === pageload["span_id"])
    expect(children.length).toBeGreaterThan(1)
    expect(children.every((child) => child["header"].trace.trace_id === pageload["trace_id"])).toBe(true)

    await route(page, "push", "/docs/a/b")
    await shows(page, "docs")
    const navigation = await segment("navigation", "/docs/[...slug]")
    expect(navigation["trace_id"]).not.toBe(pageload["trace_id"])
    expect(navigation["links"]).toMatchObject([{ trace_id: pageload["trace_id"], span_id: pageload["span_id"] }])
    const ids = spans().map((span) => span["span_id"])
    expect(new Set(ids).size).toBe(ids.length)
    expect(sentry.transactions()).toEqual([])
  })

  test("errors stay events, on the streamed spans", async () => {
    page = await visit(browser, `${app.origin}/items/1`)
    const pageload = await segment("pageload", "/items/[id]")
    await throwInPage("streamed")
    const error = await sentry.waitForError("streamed", (event) => event["exception"].values[0].value === "streamed")
    expect(error["contexts"].trace).toMatchObject({ trace_id: pageload["trace_id"], span_id: pageload["span_id"] })
  })
})
