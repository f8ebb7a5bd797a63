import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { childrenOf } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { open, rootsOf } from "./visit.ts"

let { browser, sentry, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, app } = recorded)
})
afterAll(() => recorded?.stop())
beforeEach(() => sentry.clear())

/** Runs code in the page once the hooks are installed, before the task in which the tracer starts. */
const beforeTheStart = (code: string) => `
  let page
  Object.defineProperty(globalThis, Symbol.for("pagespan.page"), {
    get: () => page,
    set(value) {
      page = value
      queueMicrotask(() => { ${code} })
    },
  })`

test("requests, spans and errors before the tracer has started belong to the pageload", async () => {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript(
    beforeTheStart(`
      void fetch("/api/things/1")
      const xhr = new XMLHttpRequest()
      xhr.open("GET", "/api/echo")
      xhr.send()
      const { trace } = globalThis[Symbol.for("opentelemetry.js.api.1")]
      trace.getTracer("app").startSpan("early").end()
      reportError(new Error("early error"))
    `),
  )
  await open(page, `${app.origin}/items/1`)
  const error = await sentry.waitForError("early", ({ exception }) => exception?.values[0].value === "early error")
  const [root] = await rootsOf(page, sentry, 1)
  const { trace_id, span_id } = root!["contexts"].trace
  expect(error).toMatchObject({ transaction: "/items/[id]", contexts: { trace: { trace_id, span_id } } })
  const names = childrenOf(root).map(({ description }) => description)
  expect(names).toEqual(expect.arrayContaining(["GET /api/things/[id]", "GET /api/echo", "early", "document request"]))
})

test("what an app registers with OpenTelemetry's API before the tracer has started stays registered, also without consent", async () => {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript(
    beforeTheStart(`
      // As the API's \`diag.setLogger\` and \`propagation.setGlobalPropagator\` do.
      const registrations = globalThis[Symbol.for("opentelemetry.js.api.1")]
      globalThis.readVersion = registrations.version
      const noop = () => undefined
      registrations.diag = globalThis.ownLogger = { error: noop, warn: noop, info: noop, debug: noop, verbose: noop }
      registrations.propagation = globalThis.ownPropagator = { inject: noop, extract: (context) => context, fields: () => [] }
    `),
  )
  const registered = () =>
    page.evaluate(() => {
      const { readVersion, ownLogger, ownPropagator } = globalThis as unknown as Record<string, unknown>
      const { diag, propagation, trace, context } = (globalThis as unknown as Record<symbol, Record<string, unknown>>)[
        Symbol.for("opentelemetry.js.api.1")
      ]!
      return [typeof readVersion, diag === ownLogger, propagation === ownPropagator, typeof trace, typeof context]
    })
  await open(page, `${app.origin}/items/1`)
  expect(await registered()).toEqual(["string", true, true, "object", "object"])
  // The stages that start late are there once the root is sent.
  await sentry.waitForTransaction("the pageload", ({ transaction }) => transaction === "/items/[id]")
  await page.evaluate(() =>
    (globalThis as unknown as Record<symbol, { withdrawConsent(): void }>)[
      Symbol.for("pagespan.page")
    ]!.withdrawConsent(),
  )
  expect(await registered()).toEqual(["string", true, true, "undefined", "undefined"])
  await page.context().close()
})

test("a page that is left before the tracer has started delivers its pageload", async () => {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript(beforeTheStart(`window.dispatchEvent(new PageTransitionEvent("pagehide"))`))
  await open(page, `${app.origin}/items/1`)
  const root = await sentry.waitForTransaction("the pageload", ({ transaction }) => transaction === "/items/[id]")
  expect(root["contexts"].trace).toMatchObject({ op: "pageload", data: { "pagespan.end_reason": "page_left" } })
  await page.context().close()
})
