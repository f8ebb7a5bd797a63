import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isIdle, rootsOf, route, shows, storyOf, visit, waitInPage } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import type { ForeignApp } from "./foreign-app.ts"
import { BASE, startPrepared } from "./prepared-app.ts"

/**
 * Versions of Next that inject no module into pages, from the oldest that is supported to the newest. `pagespan init` adds the file
 * that starts the page's tracer.
 */

const REACT_18 = { react: "18.3.1", "react-dom": "18.3.1", "@types/react": "^18.3.0", "@types/react-dom": "^18.3.0" }

let browser: Browser
let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
})

afterAll(async () => {
  await browser?.close()
  await sentry?.close()
  await collector?.close()
})

describe.each([
  { next: "15.3.9", versions: REACT_18 },
  { next: "15.5.29", versions: {} },
  { next: "16.0.11", versions: {} },
  { next: "16.2.12", versions: {} },
])("with Next $next", ({ next, versions }) => {
  let app: ForeignApp
  let origin: string

  beforeAll(async () => {
    sentry.clear()
    collector.clear()
    const environment = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
    const adopt = (installed: ForeignApp) => installed.run("pagespan", ["init", "--yes", "--no-install"])
    ;({ app, origin } = await startPrepared(next, environment, { versions, adopt }))
  })

  afterAll(() => app?.remove())

  const opened = async (path = "") => {
    const page = await visit(browser, `${origin}${BASE}${path}`)
    await isIdle(page)
    return page
  }

  test("build and start log nothing about Pagespan, nor about what it sets in the configuration", () => {
    expect(app.output).toContain("Ready in")
    expect(app.output).not.toMatch(/pagespan: |instrumentationClientInject|compiler\.define/)
  })

  test("a push is one navigation, named by its route, on one trace with its request", async () => {
    const page = await opened("/items/5")
    await route(page, "push", "/items/6")
    await shows(page, "item 6")
    const roots = await rootsOf(page, sentry, 2)
    expect(storyOf(roots)).toEqual(["pageload /items/[id]", "navigation /items/[id] by push"])
    const [, navigation] = roots
    const ofServer = await collector.waitForSpan(
      "of the navigation's request",
      (span) => span.traceId === navigation?.contexts.trace.trace_id && span.name === "RSC GET /items/[id]",
    )
    expect(ofServer.attributes.get("http.route")).toBe("/items/[id]")
  })

  test("back and forward are named by their routes", async () => {
    const page = await opened("/items/5")
    await route(page, "push", "/")
    await shows(page, "home")
    await page.evaluate(() => history.back())
    await shows(page, "item 5")
    expect(storyOf(await rootsOf(page, sentry, 3))).toEqual([
      "pageload /items/[id]",
      "navigation / by push",
      "navigation /items/[id] by traverse",
    ])
  })

  test("the page load is on one trace with the request that rendered it", async () => {
    const page = await opened("/items/9")
    const [pageload] = await rootsOf(page, sentry, 1)
    const ofServer = await collector.waitForSpan(
      "of the request",
      (span) => span.traceId === pageload?.contexts.trace.trace_id && span.name === "GET /items/[id]",
    )
    expect(ofServer.attributes.get("http.route")).toBe("/items/[id]")
  })

  test("a server action knows its route, and has a span named after it", async () => {
    const page = await opened("/items/8")
    await waitInPage(page, () => "saveItem" in window)
    const known = await page.evaluate(() => (window as unknown as { saveItem(): Promise<unknown> }).saveItem())
    expect(known).toEqual({ route: "/items/[id]", params: { id: "8" } })
    const isOfAction = ({ name }: { name: string }) => /^serverAction\/\w+ \/items\/\[id\]$/.test(name)
    const span = await collector.waitForSpan("of the action", isOfAction)
    const request = await collector.waitForSpan("of its request", ({ spanId }) => spanId === span.parentSpanId)
    expect(request.name).toBe("POST /items/[id]")
    await page.context().close()
  })
})
