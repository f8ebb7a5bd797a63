import type * as SentryApi from "@sentry/nextjs"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, pageSpans } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { isIdle, isRoot, open, rootsOf, route, shows, storyOf, visit } from "./visit.ts"

declare const Sentry: typeof SentryApi

const TOKEN = "quiet-harbor"
const CODE = "4711-amber-lantern"
/** The server does not redact it: it runs the proxy before it knows the route. */
const HIDDEN = "silent-meadow"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("locale")
})

afterAll(() => recorded?.stop())

beforeEach(() => {
  recorded.sentry.clear()
  recorded.collector.clear()
})

/** What left the page and the server. */
function sent(): string {
  const { collector, sentry } = recorded
  return [...sentry.requests, ...collector.requests].map(({ body }) => body.toString()).join("\n")
}

test("a secret in the path of a page leaves neither the page nor the server, in spans, errors and breadcrumbs", async () => {
  const { app, browser, collector, sentry } = recorded
  const page = await visit(browser, `${app.origin}/en/reset/${TOKEN}`)
  await isIdle(page)
  await page.evaluate(async (code) => {
    await fetch(`/admin/verify/${code}`)
    await fetch(`/admin/verify/${code}`, { method: "POST" })
    await new Promise((resolve) => {
      const image = document.createElement("img")
      image.onerror = resolve
      image.src = `/admin/verify/${code}?as=image`
      document.body.append(image)
    })
    Sentry.captureException(new Error("captured"))
  }, CODE)
  await route(page, "push", "/en/news/1")
  await shows(page, "news 1")
  await route(page, "push", `/en/reset/${TOKEN}`)
  await shows(page, "reset")
  await page.evaluate(() => Sentry.captureException(new Error("captured later")))
  await sentry.waitForError("of the page", ({ exception }) => exception.values[0].value === "captured later")
  await sentry.waitForError("of the server", ({ exception }) => exception.values[0].value === "not verified")
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual([
    "pageload /[locale]/reset/[token]",
    "navigation /[locale]/news/[id] by push",
    "navigation /[locale]/reset/[token] by push",
  ])
  const urls = roots.map(({ request }) => request.url)
  expect(urls).toEqual(["reset/[Filtered]", "news/1", "reset/[Filtered]"].map((path) => `${app.origin}/en/${path}`))
  expect(sentry.errors().map(({ request }) => request?.url)).toContain(`${app.origin}/en/reset/[Filtered]`)
  await waitFor("spans of page and server at the collector", () =>
    ["/[locale]/reset/[token]", "GET /[locale]/reset/[token]"].every((name) =>
      collector.requests.some(({ body }) => body.toString().includes(`"name":"${name}"`)),
    ),
  )
  const paths = pageSpans(collector).map((span) => attributesOf(span)["url.path"])
  expect(paths).toContain("/en/reset/[Filtered]")
  expect(sent()).toContain("/admin/verify/[Filtered]")
  expect(sent()).not.toContain(TOKEN)
  expect(sent()).not.toContain(CODE)
})

test("a secret in the path of a rewritten page does not leave the page, in spans and breadcrumbs from before its route is known either", async () => {
  const { app, browser, collector, sentry } = recorded
  const page = await visit(browser, `${app.origin}/de/neu/${HIDDEN}`, async (profile) => {
    await profile.addInitScript(() => Object.assign(window, { earlyRequest: "/admin/verify/none" }))
  })
  await isIdle(page)
  await route(page, "push", "/de/news/1")
  await shows(page, "news 1")
  await route(page, "push", `/de/neu/${HIDDEN}`)
  await shows(page, "reset")
  await page.evaluate((address) => fetch(address), `/de/neu/${HIDDEN}`)
  await page.evaluate(() => Sentry.captureException(new Error("on a rewritten page")))
  await sentry.waitForError("of the page", ({ exception }) => exception.values[0].value === "on a rewritten page")
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual([
    "pageload /[locale]/reset/[token]",
    "navigation /[locale]/news/[id] by push",
    "navigation /[locale]/reset/[token] by push",
  ])
  const isRequested = (path: string) =>
    pageSpans(collector).some((span) => attributesOf(span)["url.full"] === `${app.origin}${path}`)
  await waitFor(
    "spans of the page at the collector",
    () => isRequested("/de/news/1") && isRequested("/de/neu/[Filtered]"),
  )
  const early = pageSpans(collector).find(({ name }) => name === "GET /admin/verify/[code]")
  expect(early && attributesOf(early)["browser.document.url.full"]).toBe(`${app.origin}/de/neu/[Filtered]`)
  expect(JSON.stringify(pageSpans(collector))).not.toContain(HIDDEN)
  const ofPage = [...sentry.transactions(), ...sentry.errors()].filter(({ platform }) => platform === "javascript")
  expect(JSON.stringify(ofPage)).toContain("/de/neu/[Filtered]")
  expect(JSON.stringify(ofPage)).not.toContain(HIDDEN)
})

test("a page that is left at once sends no secret of its path either", async () => {
  const { app, browser, sentry } = recorded
  const context = await browser.newContext()
  const early = await context.newPage()
  // Nothing is loaded late.
  await early.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }))
  await open(early, `${app.origin}/en/reset/${TOKEN}`)
  await early.evaluate(() => {
    setTimeout(() => {
      throw new Error("early")
    })
  })
  await early.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)))
  await early.goto("about:blank")
  await sentry.waitForTransaction("of the page", isRoot)
  await sentry.waitForError("of the page", ({ exception }) => exception.values[0].value === "early")
  await context.close()
  expect(sent()).toContain("/en/reset/[Filtered]")
  expect(sent()).not.toContain(TOKEN)
})
