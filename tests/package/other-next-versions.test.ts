import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isIdle, rootsOf, route, shows, storyOf, visit, waitInPage } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import type { ForeignApp } from "./foreign-app.ts"
import { BASE, startPrepared } from "./prepared-app.ts"

/**
 * What Pagespan reads of Next and Next does not document, in the first version that injects the tracer into pages, and in the
 * newest one: the start hook of the router, whose addresses are absolute in some cases, and the state of the server. The app has
 * Cache Components and `partialPrefetching`.
 */

interface PreparingRouter {
  experimental_prepare?(href: string): Record<"push" | "replace", () => void>
}

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
  { next: "16.3.8", prepares: false },
  { next: "16.5.0-canary.38", prepares: true },
])("with Next $next", ({ next, prepares }) => {
  let app: ForeignApp
  let origin: string

  beforeAll(async () => {
    // Spans of the version before would stand for those of this one.
    sentry.clear()
    collector.clear()
    ;({ app, origin } = await startPrepared(next, {
      APP_PREPARES: String(prepares),
      SENTRY_DSN: sentry.dsn,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    }))
  })

  afterAll(() => app?.remove())

  const opened = async (path = "") => {
    const page = await visit(browser, `${origin}${BASE}${path}`)
    await isIdle(page)
    return page
  }
  const story = async (page: Page, count: number) => storyOf(await rootsOf(page, sentry, count))

  test.each([
    ["a link that is prefetched in part", "item 1"],
    ["a link that is prefetched as far as it is static", "item 2"],
  ])("%s is one navigation, named by its route", async (_what, name) => {
    const page = await opened()
    await page.getByRole("link", { name }).click()
    await shows(page, name)
    expect(await story(page, 2)).toEqual(["pageload /", "navigation /items/[id] by push"])
  })

  test("a push of an absolute address, with the base path, is named by its route", async () => {
    const page = await opened()
    await route(page, "push", `${origin}${BASE}/items/3`)
    await shows(page, "item 3")
    expect(await story(page, 2)).toEqual(["pageload /", "navigation /items/[id] by push"])
  })

  test("back and forward, whose addresses are absolute, are named by their routes", async () => {
    const page = await opened("/items/5")
    await route(page, "push", "/")
    await shows(page, "home")
    await page.evaluate(() => history.back())
    await shows(page, "item 5")
    expect(await story(page, 3)).toEqual([
      "pageload /items/[id]",
      "navigation / by push",
      "navigation /items/[id] by traverse",
    ])
  })

  describe.runIf(prepares)("experimental_prepare()", () => {
    const prepared = (page: Page, href: string, commit?: "push" | "replace") =>
      page.evaluate(
        async ({ href, commit }) => {
          const { appRouter } = window as unknown as { appRouter: PreparingRouter }
          const navigation = appRouter.experimental_prepare!(href)
          await new Promise((resolve) => setTimeout(resolve, 500))
          if (commit !== undefined) navigation[commit]()
        },
        { href, commit },
      )

    test("begins no navigation", async () => {
      const page = await opened()
      await prepared(page, "/items/6")
      expect(await story(page, 1)).toEqual(["pageload /"])
    })

    test.each(["push", "replace"] as const)(
      "and %s(), whose address is absolute, are one navigation, named by its route",
      async (commit) => {
        const page = await opened()
        // A `replace` sooner is a redirect.
        await page.waitForTimeout(1_100)
        await prepared(page, "/items/7", commit)
        await shows(page, "item 7")
        expect(await story(page, 2)).toEqual(["pageload /", `navigation /items/[id] by ${commit}`])
      },
    )
  })

  test("a function with use cache has a span of its read, and one of its run", async () => {
    const target = `${BASE}/items/cached`
    await (await fetch(`${origin}${target}`)).text()
    const root = await collector.waitForSpan("of the request", (span) => span.attributes.get("http.target") === target)
    expect(root.name).toBe("GET /items/[id]")
    for (const kind of ["use cache", "generate"]) {
      const isOfPrice = ({ traceId, name }: typeof root) =>
        traceId === root.traceId && name.startsWith(`${kind} `) && name.includes("get-price")
      const { attributes } = await collector.waitForSpan(`of ${kind}`, isOfPrice)
      expect(attributes.get("pagespan.cache.outcome")).toBe("miss")
    }
  })

  test("a server action has a span named after it and its route, and knows its route", async () => {
    const page = await opened("/items/8")
    await waitInPage(page, () => "saveItem" in window)
    const known = await page.evaluate(() => (window as unknown as { saveItem(): Promise<unknown> }).saveItem())
    expect(known).toEqual({ route: "/items/[id]", params: { id: "8" } })
    const span = await collector.waitForSpan(
      "of the action",
      ({ name }) => name === "serverAction/saveItem /items/[id]",
    )
    const request = await collector.waitForSpan("of its request", ({ spanId }) => spanId === span.parentSpanId)
    expect(request.name).toBe("POST /items/[id]")
    await page.context().close()
  })
})
