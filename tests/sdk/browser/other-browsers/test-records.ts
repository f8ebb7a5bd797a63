import type { TraceAPI } from "@opentelemetry/api"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import type { TestedBrowser } from "#tests/support/browsers/tested-browsers.ts"
import { attributesOf, childrenOf, named, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isRoot, rootsOf, storyOf, visit, waitInPage } from "../visit.ts"

const RESTORE_VISITS = 10

/** What a page records besides its routes, as far as browsers differ in it. */
export function testRecords({ launch, vitals, hasResourceStatus, mayRepeat }: TestedBrowser): void {
  let { browser, sentry, collector, app } = {} as RecordedApp
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("routes", {}, launch)
    ;({ browser, sentry, collector, app } = recorded)
  })
  afterAll(() => recorded?.stop())
  beforeEach(() => sentry.clear())

  const ended = (what: string, isIt: (trace: Payload) => boolean) =>
    sentry.waitForTransaction(what, (event) => isRoot(event) && isIt(event["contexts"].trace))

  test("a page load has its phases, its web vitals, and the scripts that arrived before the tracer started", async () => {
    const page = await visit(browser, `${app.origin}/static?token=secret#part`)
    const load = await ended("of the load", ({ op }) => op === "pageload")
    const vitalsOfLoad = () => {
      const names = pageSpans(collector)
        .filter(({ traceId }) => traceId === load["contexts"].trace.trace_id)
        .map(({ name }) => (name as string).split("browser.web_vital.")[1])
      return names.filter((name) => name !== undefined).sort()
    }
    // What measures them is loaded late, on a busy machine after the end of the root. LCP is final with the first input.
    await expect.poll(vitalsOfLoad).toContain("fcp")
    await page.getByRole("heading").click()
    await expect.poll(vitalsOfLoad).toEqual(vitals)
    await rootsOf(page, sentry, 1)
    expect(named(load, "document request")).toMatchObject({ op: "browser.request" })
    expect(named(load, "document dom")).toMatchObject({ op: "browser.dom" })
    const scripts = childrenOf(load).filter(({ op }) => op === "resource.script")
    expect(scripts.length).toBeGreaterThan(3)
    for (const { data } of scripts) {
      expect(data["url.full"]).toMatch(/\/_next\/static\/.+\.js$/)
      expect(data["http.response.status_code"]).toBe(hasResourceStatus ? 200 : undefined)
    }
    expect(JSON.stringify(load)).not.toContain("secret")
  })

  test("a fetch and an XMLHttpRequest are children of the root, and propagate its trace", async () => {
    const page = await visit(browser, `${app.origin}/items/1`)
    const echoed = await page.evaluate(async () => {
      const byFetch = (await (await fetch("/api/things/1")).json()) as Record<string, string>
      const byXhr = await new Promise<string>((resolve) => {
        const xhr = new XMLHttpRequest()
        xhr.onloadend = () => resolve(xhr.responseText)
        xhr.open("GET", "/api/things/2")
        xhr.send()
      })
      return [byFetch, JSON.parse(byXhr) as Record<string, string>].map(({ traceparent }) => traceparent)
    })
    const [root] = await rootsOf(page, sentry, 1)
    const { trace_id, span_id } = root!["contexts"].trace
    // At the collector: requests after the end of the root, as on a busy machine, are no part of its transaction.
    const requests = () =>
      pageSpans(collector).filter(
        ({ name, parentSpanId }) => parentSpanId === span_id && name === "GET /api/things/[id]",
      )
    const headers = () => requests().map(({ spanId }) => `00-${trace_id}-${spanId}-01`)
    await expect.poll(() => headers().sort()).toEqual(echoed.toSorted())
    for (const request of requests())
      expect(attributesOf(request)).toMatchObject({ "http.response.status_code": 200, "sentry.op": "http.client" })
  })

  test("an error has its type, its message and its stack, on the trace of its root", async () => {
    const page = await visit(browser, `${app.origin}/items/1`)
    await page.evaluate(() => {
      const script = document.createElement("script")
      script.textContent = "function pay() { null.price }\nsetTimeout(function later() { pay() }, 0)"
      document.body.append(script)
    })
    const error = await sentry.waitForError("of the page", () => true)
    const [root] = await rootsOf(page, sentry, 1)
    const { trace_id, span_id } = root!["contexts"].trace
    expect(error["contexts"].trace).toMatchObject({ trace_id, span_id })
    expect(error["transaction"]).toBe("/items/[id]")
    const [{ type, value, stacktrace, mechanism }] = error["exception"].values
    expect([type, mechanism.handled]).toEqual(["TypeError", false])
    expect(value).toMatch(/null/)
    const frames = (stacktrace.frames as Payload[]).map(({ function: name, lineno }) => [name, lineno])
    expect(frames).toEqual([
      ["later", 2],
      ["pay", 1],
    ])
  })

  test("a page that is left for another document delivers its root, to Sentry and to the collector", async () => {
    const page = await visit(browser, `${app.origin}/items/1`)
    // By the page itself, and with a span that is open: on a busy machine a command, or the next document, may take longer than the root.
    await page.evaluate(() => {
      const { appRouter, otel } = window as unknown as { appRouter: { push(href: string): void }; otel: TraceAPI }
      appRouter.push("/items/2")
      const timer = setInterval(() => {
        if (document.querySelector("h1")?.innerText !== "item 2") return
        clearInterval(timer)
        otel.getTracer("shop").startSpan("open")
        location.assign("/about")
      }, 10)
    })
    const left = await ended("of the page", ({ op }) => op === "navigation")
    const { span_id, data } = left["contexts"].trace
    expect(data["pagespan.end_reason"]).toBe("page_left")
    const ids = () => pageSpans(collector).map(({ spanId }) => spanId as string)
    await expect.poll(ids).toContain(span_id)
    const exported = pageSpans(collector).find(({ spanId }) => spanId === span_id)
    expect(attributesOf(exported!)["pagespan.end_reason"]).toBe("page_left")
    await waitInPage(page, () => "appRouter" in window && location.pathname === "/about")
    await rootsOf(page, sentry, 3, mayRepeat)
  })

  test("a page restored from the back/forward cache is a navigation of that type, in a trace of its own", async () => {
    // Whether it restores a page is the browser's decision: Firefox often does not on a busy machine.
    for (let visits = 0; visits < RESTORE_VISITS; visits++) {
      const { isRestored, roots } = await leaveAndReturn()
      const second = isRestored ? "navigation /static by bfcache" : "pageload /static"
      expect(storyOf(roots)).toEqual(["pageload /static", second])
      if (isRestored) return
    }
    throw new Error(`the browser restored none of ${RESTORE_VISITS} pages`)
  })

  /** A visit to a page, from which the visitor goes to another document and back. */
  async function leaveAndReturn() {
    sentry.clear()
    // Not a page that no cache may store, which Firefox does not restore.
    const page = await visit(browser, `${app.origin}/static`)
    await ended("of the first page", ({ op }) => op === "pageload")
    await page.evaluate(() => {
      window.addEventListener("pageshow", ({ persisted }) => Object.assign(window, { isRestored: persisted }))
      location.assign("/about")
    })
    await waitInPage(page, () => "appRouter" in window && location.pathname === "/about")
    await page.goBack()
    await waitInPage(page, () => "appRouter" in window && location.pathname === "/static")
    const isRestored = await page.evaluate(() => "isRestored" in window && window.isRestored === true)
    const roots = await rootsOf(page, sentry, 3, mayRepeat)
    return { isRestored, roots: roots.filter((root) => root["transaction"] === "/static") }
  }
}
