import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { INSTRUMENTED } from "./cases/builds.ts"
import { testCases } from "./cases/test-cases.ts"
import { childrenOf, named, pageScopes } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { eventsOf, rootsOf, route, shows, visit } from "./visit.ts"

const SCOPE = "@opentelemetry/instrumentation-fetch"

describe(`an app ${INSTRUMENTED.what}`, () => {
  testCases(INSTRUMENTED)

  describe("and its requests", () => {
    let recorded: RecordedApp

    beforeAll(async () => {
      recorded = await startRecordedApp("routes", { variant: INSTRUMENTED.variant })
    })
    afterAll(() => recorded?.stop())

    test("each fetch is one span of the instrumentation, named by its route, without the URL's query, on the page's trace", async () => {
      const { app, browser, collector, sentry } = recorded
      const page = await visit(browser, `${app.origin}/static`)
      await route(page, "push", "/slow")
      const sent = page.waitForRequest("**/api/echo")
      await page.evaluate(async () => {
        await fetch("/api/things/7?token=secret&page=2")
        await fetch("/api/echo", { method: "POST", body: "hello" })
      })
      const { traceparent } = await (await sent).allHeaders()
      const root = await sentry.waitForTransaction("navigation", ({ transaction }) => transaction === "/slow")
      const requests = childrenOf(root).filter(({ op }) => op === "http.client")
      const names = ["GET /api/things/[id]", "POST /api/echo", "RSC /slow"]
      expect(requests.map(({ description }) => description).sort()).toEqual(names)
      const echoed = named(root, "POST /api/echo")!
      expect(traceparent).toBe(`00-${echoed["trace_id"]}-${echoed["span_id"]}-01`)
      expect(named(root, "GET /api/things/[id]")!["data"]).toMatchObject({
        "url.full": `${app.origin}/api/things/7`,
        "url.query": "page=2",
        "http.response.status_code": 200,
      })
      const spans = await waitFor("its spans", () => {
        const found = pageScopes(collector).flatMap((each) => (each["scope"].name === SCOPE ? each["spans"] : []))
        return found.length >= names.length && found
      })
      // Deliveries to the tunnel and prefetches have none.
      expect(spans.map(({ name }) => name).sort()).toEqual(names)
      const things = spans.find(({ name }) => name === "GET /api/things/[id]")
      expect(things.events.map(({ name }: { name: string }) => name)).toContain("responseStart")
      expect(JSON.stringify([root, spans])).not.toContain("secret")
      await page.context().close()
    })

    test("a stream and a prefetch do not keep the root open, and a trace header that the page sets is unchanged", async () => {
      const { app, browser, sentry } = recorded
      const page = await visit(browser, `${app.origin}/static`)
      await route(page, "push", "/about")
      await shows(page, "about")
      const own = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`
      const sent = page.waitForRequest("**/api/things/8")
      await page.evaluate(async (traceparent) => {
        void fetch("/api/stream")
        void fetch("/static", { headers: { rsc: "1", "next-router-prefetch": "1" } })
        await fetch("/api/things/8", { headers: { traceparent } })
      }, own)
      expect((await (await sent).allHeaders())["traceparent"]).toBe(own)
      const root = await sentry.waitForTransaction("navigation", ({ transaction }) => transaction === "/about")
      expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
      const requests = childrenOf(root).filter(({ op }) => op === "http.client")
      expect(requests.map(({ description }) => description)).not.toContain("PREFETCH /static")
      expect(named(root, "GET /api/stream")).toBeDefined()
      await page.context().close()
    })

    test("requests that never reach the network, or that the browser rejects, do not reach the instrumentation", async () => {
      const { app, browser, sentry } = recorded
      const page = await visit(browser, `${app.origin}/static`)
      const outcomes = await page.evaluate(async () => [
        await (await fetch("data:text/plain,inline")).text(),
        await fetch("http://").catch((error: Error) => error.name),
      ])
      expect(outcomes).toEqual(["inline", "TypeError"])
      const [root] = await rootsOf(page, sentry, 1)
      expect(childrenOf(root).filter(({ op }) => op === "http.client")).toEqual([])
    })

    test.each([
      ["create", "the function of setInstrumentations"],
      ["setTracerProvider", SCOPE],
    ] as const)(
      "one whose %s throws is named once with its error, and the page's requests are traced without it",
      async (failing, name) => {
        const { app, browser, sentry } = recorded
        const page = await visit(browser, `${app.origin}/static`, async (profile) => {
          await profile.addInitScript((each) => void Object.assign(window, { failingInstrumentation: each }), failing)
        })
        await route(page, "push", "/slow")
        await page.evaluate(async () => void (await fetch("/api/things/9")))
        const root = await sentry.waitForTransaction("navigation", ({ transaction }) => transaction === "/slow")
        expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
        const things = childrenOf(root).find(({ description }) => description === "GET /api/things/[id]")
        expect(things?.["data"]).toMatchObject({ "http.response.status_code": 200 })
        const lines = eventsOf(page)
          .split("\n")
          .filter((line) => line.includes("pagespan: "))
        expect(lines).toEqual([
          `console.warning: pagespan: ${name} failed, and the page is traced without it: Error: an option is unknown`,
        ])
        await page.context().close()
      },
    )
  })
})
