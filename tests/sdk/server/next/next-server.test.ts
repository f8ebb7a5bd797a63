import { randomBytes } from "node:crypto"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { route, settled, shows, visit, waitInPage } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

/** The state of Next's server, which Pagespan reads: the route, and server actions. */

let browser: Browser
let collector: RecordingCollector
let app: AppUnderTest
let unsampled: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  collector = await new RecordingCollector().listen()
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  }
  app = await startApp("routes", { environment })
  unsampled = await startApp("routes", { environment: { ...environment, OTEL_TRACES_SAMPLER: "always_off" } })
})

afterAll(async () => {
  await app?.stop()
  await unsampled?.stop()
  await browser?.close()
  await collector?.close()
})

const shownOn = (page: Page) =>
  page.evaluate(() => (window as unknown as { currentRoute(): unknown }).currentRoute() ?? null)
const save = (page: Page, how: string) =>
  page.evaluate(
    (how) => (window as unknown as { save(how: string): Promise<unknown> }).save(how).catch(() => "failed"),
    how,
  )
const named = (name: string) => collector.waitForSpan(name, (span) => span.name === name)

describe("currentRoute()", () => {
  test.each([
    ["a dynamic segment", "/items/a%2Fb", "item", { route: "/items/[id]", params: { id: "a/b" } }],
    ["a catch-all", "/docs/a/b%20c", "docs", { route: "/docs/[...slug]", params: { slug: ["a", "b c"] } }],
    ["an optional catch-all without segments", "/help", "help", { route: "/help/[[...path]]", params: {} }],
    ["a rewrite", "/t/12", "item 12", { route: "/items/[id]", params: { id: "12" } }],
    ["a locale that the address leaves out", "/hello", "hello", { route: "/[locale]/hello", params: { locale: "en" } }],
    ["an intercepted route", "/photo/7", "modal", { route: "/photo/[id]", params: { id: "7" } }],
    ["a parameter that calls notFound()", "/items/missing", "404", { route: "/items/[id]", params: { id: "missing" } }],
  ])("in a page is the route that it shows: %s", async (what, path, heading, expected) => {
    const page = await visit(browser, `${app.origin}/where/1`)
    await waitInPage(page, () => "currentRoute" in window)
    expect(await shownOn(page)).toEqual({ route: "/where/[id]", params: { id: "1" } })
    if (what === "an intercepted route") {
      await route(page, "push", "/feed")
      await shows(page, "feed")
    }
    await route(page, "push", path)
    await page.getByRole("heading", { name: heading }).first().waitFor()
    await settled(page)
    expect(await shownOn(page)).toEqual(expected)
    await page.context().close()
  })

  test.each([
    ["sampled", () => app],
    ["unsampled", () => unsampled],
  ])("on the server is that of the request, %s: in a page, a route handler and a server action", async (_what, of) => {
    const { origin } = of()
    const expected = { route: "/where/[id]", params: { id: "4 2" } }
    const page = await visit(browser, `${origin}/where/4%202`)
    expect(JSON.parse(await page.locator("#server").innerText())).toEqual(expected)
    expect(await save(page, "well")).toEqual(expected)
    const answer = await fetch(`${origin}/api/where/a/b`)
    expect(await answer.json()).toEqual({ route: "/api/where/[...path]", params: { path: ["a", "b"] } })
    await page.context().close()
  })

  test("on the server of a rewritten address has the route that is rendered", async () => {
    const page = await visit(browser, `${app.origin}/w/7`)
    expect(JSON.parse(await page.locator("#server").innerText())).toEqual({ route: "/where/[id]", params: {} })
    await page.context().close()
  })
})

describe("a server action", () => {
  let page: Page

  beforeAll(async () => {
    page = await visit(browser, `${app.origin}/where/1`)
    await waitInPage(page, () => "save" in window)
  })

  test("has a span named after the action and its route, with what the action does below it", async () => {
    await save(page, "well")
    const span = await named("serverAction/saveItem /where/[id]")
    expect(Object.fromEntries(span.attributes)).toMatchObject({
      "http.route": "/where/[id]",
      "code.function.name": "saveItem",
      "code.file.path": expect.stringMatching(/app\/where\/save-item\.ts$/),
      "sentry.op": "function.server_action",
    })
    expect(span.status.code).toBe("unset")
    const request = await collector.waitForSpan("of the request", ({ spanId }) => spanId === span.parentSpanId)
    expect(request.name).toBe("POST /where/[id]")
    const written = await collector.waitForSpan("write", (each) => each.name === "write")
    expect(written.parentSpanId).toBe(span.spanId)
  })

  test("that calls traceAction has one span, with the name that it gives", async () => {
    await save(page, "named")
    const span = await named("serverAction/store")
    const actions = collector
      .spans()
      .filter(({ name, parentSpanId }) => name.startsWith("serverAction") && parentSpanId === span.parentSpanId)
    expect(actions).toHaveLength(1)
    expect(span.attributes.get("http.route")).toBe("/where/[id]")
  })

  test("that fails has the error, and one that calls notFound() has its status", async () => {
    expect(await save(page, "fail")).toBe("failed")
    const failed = await collector.waitForSpan(
      "of the failed action",
      ({ name, status }) => name === "serverAction/saveItem /where/[id]" && status.code === "error",
    )
    expect(failed.events.map(({ attributes }) => attributes.get("exception.message"))).toEqual(["not saved"])
    await save(page, "missing")
    await collector.waitForSpan(
      "of the action that finds nothing",
      ({ name, status }) => name === "serverAction/saveItem /where/[id]" && status.message === "not_found",
    )
  })

  test("of a form without JavaScript has one too", async () => {
    const html = await (await fetch(`${app.origin}/action`)).text()
    const form = new FormData()
    form.set(/\$ACTION_ID_[0-9a-f]+/.exec(html)![0], "")
    const answer = await fetch(`${app.origin}/action`, { method: "POST", body: form, redirect: "manual" })
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/items/5"])
    expect((await named("serverAction/inline /action")).status.code).toBe("unset")
  })
})

/** The cases of Next's own tests of its spans: a request, the name of its root, and a step of it. */
describe("the spans of a request", () => {
  test.each([
    ["a page", "/items/41", {}, "GET /items/[id]", "render route (app) /items/[id]", 200],
    ["a navigation", "/items/40", { rsc: "1" }, "RSC GET /items/[id]", "build component tree", 200],
    ["a page that calls notFound()", "/items/missing", {}, "GET /items/[id]", "render route (app) /items/[id]", 404],
    ["a page made on demand", "/isr/on-demand", {}, "GET /isr/[id]", "prerender route (app) /isr/[id]", 200],
    ["a route handler", "/api/things/3", {}, "GET /api/things/[id]", "executing api route (app) /api/things/[id]", 200],
    ["a slot", "/dash/views", {}, "GET /dash/views", "resolve page components", 200],
  ])("of %s have the route: %s", async (_what, target, headers, name, step, status) => {
    const traceId = randomBytes(16).toString("hex")
    const parentId = randomBytes(8).toString("hex")
    const traceparent = `00-${traceId}-${parentId}-01`
    // Next redirects a navigation to an address that names its headers.
    await (await fetch(`${app.origin}${target}`, { headers: { ...headers, traceparent } })).text()
    const root = await collector.waitForSpan(
      name,
      (span) =>
        span.traceId === traceId &&
        span.parentSpanId === parentId &&
        Number(span.attributes.get("http.response.status_code")) === status,
    )
    expect([root.name, root.kind]).toEqual([name, "server"])
    await collector.waitForSpan(step, (span) => span.traceId === traceId && span.name === step)
  })
})

test("Next's spans of loading code are folded into their parents", async () => {
  await fetch(`${app.origin}/items/42`)
  const page = await collector.waitForSpan("of the page", (span) => span.attributes.get("http.target") === "/items/42")
  const own = () => collector.spans().filter(({ traceId }) => traceId === page.traceId)
  expect(own().map(({ name }) => name)).toContain("render route (app) /items/[id]")
  const types = own().map(({ attributes }) => String(attributes.get("next.span_type")))
  const loading = own().filter((_, index) => /^(?:LoadComponents|Instrumentation|RouteModule)\./.test(types[index]!))
  // One that takes long is recorded.
  expect(loading.filter(({ startTime, endTime }) => endTime - startTime < 50_000_000n)).toEqual([])
  const ids = new Set(own().map(({ spanId }) => spanId))
  expect(own().filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([])
})
