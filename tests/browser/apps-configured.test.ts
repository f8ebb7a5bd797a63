import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { rootsOf, route, shows, storyOf, visit } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

describe.each([
  {
    name: "based",
    what: "with basePath and trailingSlash, built by webpack",
    base: "/app",
    slash: "/",
    buildArguments: ["--webpack"],
  },
  { name: "cached", what: "with cacheComponents", base: "", slash: "" },
])("an app $what", ({ name, base, slash, buildArguments = [] }) => {
  let app: AppUnderTest

  beforeAll(async () => {
    app = await startApp(name, { environment: { SENTRY_DSN: sentry.dsn }, buildArguments })
  }, 240_000)

  afterAll(() => app?.stop())

  test.each([
    [`${base}/static${slash}`, "/static"],
    [`${base}/items/1${slash}`, "/items/[id]"],
    [`${base}/docs/a/b${slash}`, "/docs/[...slug]"],
    [`${base}${slash || "/"}`, "/"],
  ])("names the load of %s by its route", async (path, name) => {
    const page = await visit(browser, `${app.origin}${path}`)
    const roots = await rootsOf(page, sentry, 1)
    expect(storyOf(roots)).toEqual([`pageload ${name}`])
    expect(roots[0]!["contexts"].trace.data["url.path"]).toBe(path)
  })

  test("names links, code and history by their routes", async () => {
    const page = await visit(browser, `${app.origin}${base}/static${slash}`)
    await page.getByRole("link", { name: "/items/1" }).click()
    await shows(page, "items")
    await route(page, "push", "/docs/x")
    await shows(page, "docs")
    await page.evaluate(() => history.back())
    await shows(page, "items")
    await route(page, "push", "/items/1")
    expect(storyOf(await rootsOf(page, sentry, 4))).toEqual([
      "pageload /static",
      "navigation /items/[id] by push",
      "navigation /docs/[...slug] by push",
      "navigation /items/[id] by traverse",
    ])
  })
})
