import type * as SentryApi from "@sentry/nextjs"
import type { BrowserContext } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { isPageload, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, isIdle, isRoot, route, shows, visit } from "../visit.ts"

declare const Sentry: typeof SentryApi
declare const reportCaught: (error: unknown) => void

describe("an app with a Sentry.init of its own", () => {
  let recorded: RecordedApp
  /** Where the app's own client sends to. */
  let own: RecordingSentry

  beforeAll(async () => {
    own = await new RecordingSentry().listen()
    recorded = await startRecordedApp("locale", { environment: { SENTRY_RELEASE: "shop@1" } })
  })

  afterAll(async () => {
    await recorded?.stop()
    await own?.close()
  })

  beforeEach(() => {
    recorded.sentry.clear()
    own.clear()
  })

  const withInit = (options: SentryApi.BrowserOptions) => async (context: BrowserContext) =>
    void (await context.addInitScript((given) => Object.assign(globalThis, { sentryOptions: given }), {
      dsn: own.dsn,
      ...options,
    }))
  const messageOf = ({ exception, message }: Payload) => exception?.values.at(-1).value ?? message
  const sessions = () => own.items("session").map(({ payload }) => payload)

  test("sends each error of the page once, by its own client, with breadcrumbs, replay, release, and a crashed session", async () => {
    const { app, browser, sentry } = recorded
    const prepare = withInit({ release: "own@1", environment: "own", replaysSessionSampleRate: 1 })
    const page = await visit(browser, `${app.origin}/en/news/1`, prepare)
    await page.evaluate(() => {
      Sentry.setUser({ id: "u42" })
      Sentry.setTag("plan", "pro")
    })
    await page.locator("h1").click()
    await page.evaluate(() => {
      reportCaught(new Error("caught by a boundary"))
      Sentry.captureMessage("by hand")
    })
    await waitFor("the session", () => sessions().length > 0)
    // Not an object: Sentry's SDK cannot mark it as sent.
    await page.evaluate(() => void Promise.reject("a text"))
    await own.waitForError("the text", () => own.errors().length >= 3)
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error("uncaught")
      })
    })
    await own.waitForError("the last", () => own.errors().length >= 4)
    await isIdle(page)
    // The chunk of Pagespan's client, which adds the scopes, loads after that.
    await page.waitForLoadState("networkidle")
    await endRoot(page)
    const root = await sentry.waitForTransaction("of the load", isRoot)
    const { trace_id } = root["contexts"].trace

    expect(sentry.errors()).toEqual([])
    expect(own.errors().map(messageOf).sort()).toEqual([
      "Non-Error promise rejection captured with value: a text",
      "by hand",
      "caught by a boundary",
      "uncaught",
    ])
    for (const event of own.errors()) {
      expect(event).toMatchObject({
        release: "own@1",
        environment: "own",
        transaction: "/[locale]/news/[id]",
        user: { id: "u42" },
        tags: { plan: "pro", replayId: expect.stringMatching(/^[0-9a-f]{32}$/) },
        contexts: { trace: { trace_id } },
      })
      expect(event["breadcrumbs"].map(({ category }: Payload) => category)).toContain("ui.click")
    }
    const { replayId } = own.errors()[0]!["tags"]
    for (const { header, items } of own.envelopes())
      if (items.some((item) => item.header.type === "event"))
        expect(header["trace"]).toMatchObject({ trace_id, replay_id: replayId })
    const caught = own.errors().find((event) => messageOf(event) === "caught by a boundary")!
    expect(caught["exception"].values[0].mechanism).toMatchObject({ type: "auto.react.error_boundary", handled: true })
    expect(root).toMatchObject({ user: { id: "u42" }, tags: { plan: "pro", replayId } })
    const statuses = sessions().map(({ status }) => status as string)
    // Version 10 of Sentry's SDK says "crashed".
    expect([statuses[0], statuses.at(-1)]).toEqual(["ok", "unhandled"])
    await page.context().close()
  })

  test("has the release of the page if its Sentry.init names none, and the trace and route of each navigation", async () => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`, withInit({}))
    await isIdle(page)
    await route(page, "push", "/en/pathnames")
    await shows(page, "pathnames")
    await page.evaluate(() => Sentry.captureException(new Error("after the navigation")))
    const event = await own.waitForError("by hand", () => true)
    await endRoot(page)
    const root = await sentry.waitForTransaction(
      "of the navigation",
      ({ contexts }) => contexts.trace.op === "navigation",
    )
    expect(event).toMatchObject({
      release: "shop@1",
      transaction: "/[locale]/pathnames",
      contexts: {
        trace: { trace_id: root["contexts"].trace.trace_id },
        otel: { resource: { "service.name": root["contexts"].otel.resource["service.name"] } },
      },
    })
    await page.context().close()
  })

  test("sends an error after the end of the root, which the collector gets as a span", async () => {
    const { app, browser, collector, sentry } = recorded
    collector.clear()
    const page = await visit(browser, `${app.origin}/en/news/1`, withInit({}))
    const root = await waitFor("the root", () => pageSpans(collector).find(isPageload))
    await page.evaluate(() => reportCaught(new Error("after the load")))
    await own.waitForError("after the load", (event) => messageOf(event) === "after the load")
    const span = await waitFor("its span", () => pageSpans(collector).find(({ name }) => name === "exception"))
    expect(span).toMatchObject({ traceId: root["traceId"], parentSpanId: root["spanId"] })
    await page.context().close()
    expect(own.errors()).toHaveLength(1)
    expect(sentry.errors()).toEqual([])
  })

  test("sends the trace of each navigation in all headers, with browserTracingIntegration() among its integrations", async () => {
    const { app, browser, sentry } = recorded
    const options = { tracesSampleRate: 1, tracePropagationTargets: [app.origin, "https://api.example.com"] }
    const page = await visit(browser, `${app.origin}/en/news/1`, withInit(options))
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" }
    await page.route("https://api.example.com/**", (request) => request.fulfill({ headers: cors, body: "{}" }))
    await isIdle(page)
    await route(page, "push", "/en/pathnames")
    await shows(page, "pathnames")
    const isRsc = ({ rsc, ...headers }: Record<string, string>) =>
      rsc !== undefined && !("next-router-prefetch" in headers)
    const rsc = page.waitForRequest((request) => isRsc(request.headers()))
    await route(page, "push", "/en/news/2")
    await shows(page, "news 2")
    const others = ["**/by-fetch", "**/by-xhr", "https://api.example.com/"].map((url) => page.waitForRequest(url))
    await page.evaluate(async () => {
      await fetch("/by-fetch")
      const xhr = new XMLHttpRequest()
      xhr.open("GET", "/by-xhr")
      xhr.send()
      await fetch("https://api.example.com/")
    })
    const requests = await Promise.all([rsc, ...others])
    const [ofRsc, byFetch, byXhr, elsewhere] = await Promise.all(requests.map((request) => request.allHeaders()))
    await endRoot(page)
    const isLast = ({ transaction, contexts }: Payload) =>
      transaction === "/[locale]/news/[id]" && contexts.trace.op === "navigation"
    const root = await sentry.waitForTransaction("of the last navigation", isLast)
    const { trace_id, span_id } = root["contexts"].trace

    for (const headers of [ofRsc, byFetch, byXhr, elsewhere]) {
      expect(headers?.["sentry-trace"]).toMatch(new RegExp(`^${trace_id}-[0-9a-f]{16}-1$`))
      expect(headers?.["baggage"]?.split(`sentry-trace_id=${trace_id}`)).toHaveLength(2)
    }
    for (const headers of [ofRsc, byFetch, byXhr]) expect(headers?.["traceparent"]).toContain(trace_id)
    // Sentry's SDK sends no `traceparent` there, which the other server may not allow.
    expect(elsewhere).not.toHaveProperty("traceparent")
    // The server's span is a child of the request's, not of the root.
    for (const headers of [ofRsc, byFetch]) expect(headers?.["sentry-trace"]).not.toContain(span_id)
    expect(own.transactions()).toEqual([])
    await page.context().close()
  })

  test.each([
    { what: "has no DSN", options: { dsn: "" } },
    { what: "does not watch for them", options: { defaultIntegrations: false } },
  ] as const)("leaves uncaught errors to Pagespan's client if it $what", async ({ options }) => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`, withInit(options))
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error("uncaught")
      })
    })
    await isIdle(page)
    await endRoot(page)
    await sentry.waitForError("uncaught", (event) => messageOf(event) === "uncaught")
    expect(own.errors()).toEqual([])
    await page.context().close()
  })
})
