import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { shows, visit } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { TRACE_ELEMENTS, traceElements } from "#tests/support/trace-elements.ts"

/**
 * The cases of Next's own suite of `clientTraceMetadata` that `trace-continuity.test.ts` does not have: streamed pages, the
 * Pages Router, and documents in which the router shows another page.
 */

let browser: Browser
const apps = new Map<string, AppUnderTest>()

beforeAll(async () => {
  browser = await launchChromium()
  const environment = { SENTRY_DSN: "http://key@127.0.0.1:9/1" }
  for (const name of ["routes", "server", "hybrid"]) apps.set(name, await startApp(name, { environment }))
})

afterAll(async () => {
  for (const app of apps.values()) await app.stop()
  await browser?.close()
})

const metadataOf = (app: string, path: string) => traceElements(`${apps.get(app)!.origin}${path}`)

describe("the HTML of a page", () => {
  test.each([
    ["of app/ that the server renders", "routes", "/items/1"],
    ["of app/ that the server streams", "server", "/late/fine"],
    ["of pages/ that the server renders", "hybrid", "/blog/1"],
    ["of app/ beside pages/", "hybrid", "/news"],
  ])("%s has each element once in its head, with a trace of its own", async (_what, app, path) => {
    const first = await metadataOf(app, path)
    const second = await metadataOf(app, path)
    for (const each of [first, second]) {
      expect([each.names, each.isInHead]).toEqual([TRACE_ELEMENTS, true])
      expect(each.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    }
    expect(first.traceparent).not.toBe(second.traceparent)
  })

  test.each([
    ["of app/", "routes", "/static"],
    ["of pages/", "hybrid", "/"],
    ["of pages/ with a parameter", "hybrid", "/shop/a/b"],
  ])("%s that was made at build time has none", async (_what, app, path) => {
    expect(await metadataOf(app, path)).toEqual({ names: [], isInHead: true, traceparent: undefined })
  })
})

const elementsOf = (page: Page) =>
  page.evaluate(
    (names) =>
      [...document.querySelectorAll("meta")]
        .filter(({ name }) => names.includes(name))
        .map(({ name, content }) => `${name}: ${content}`),
    TRACE_ELEMENTS,
  )

describe("a navigation leaves the elements of the document as they are,", () => {
  test.each([
    ["from a static page of app/ to a dynamic one", "routes", "/static", "/items/1", "item 1", 0],
    ["from a dynamic page of app/ to another", "routes", "/items/1", "/items/2", "item 2", 4],
    ["from a dynamic page of app/ to a static one", "routes", "/items/1", "/about", "about", 4],
    ["from a static page of pages/ to a dynamic one", "hybrid", "/", "/blog/1", "blog 1", 0],
    ["from a dynamic page of pages/ to another", "hybrid", "/blog/1", "/blog/2", "blog 2", 4],
    ["from a dynamic page of pages/ to a static one", "hybrid", "/blog/1", "/shop/a", "shop a", 4],
  ])("%s", async (_what, app, from, to, heading, count) => {
    const page = await visit(browser, `${apps.get(app)!.origin}${from}`)
    const before = await elementsOf(page)
    expect(before).toHaveLength(count)
    await page.evaluate((to) => {
      const { appRouter } = window as unknown as { appRouter: { push(href: string): void } }
      appRouter.push(to)
    }, to)
    await shows(page, heading)
    expect(await elementsOf(page)).toEqual(before)
    await page.context().close()
  })
})
