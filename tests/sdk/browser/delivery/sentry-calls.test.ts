import type * as SentryApi from "@sentry/nextjs"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, isPageload, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, isIdle, isRoot, visit } from "../visit.ts"

declare const Sentry: typeof SentryApi

describe("an app that calls Sentry's API in pages without its own Sentry.init", () => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("locale", { environment: { SENTRY_RELEASE: "shop@1" } })
  })

  afterAll(() => recorded?.stop())

  beforeEach(() => recorded.sentry.clear())

  const messageOf = ({ exception, message }: Payload) => exception?.values.at(-1).value ?? message

  /** Resolves when the page's client is loaded, with which its session and its breadcrumbs begin. */
  const isConnected = () => waitFor("the session", () => recorded.sentry.items("session").length === 1)

  /** The errors of the page that reached Sentry, and the root on whose trace they are. */
  async function sent(page: Page, count: number): Promise<{ errors: Payload[]; root: Payload }> {
    const { sentry } = recorded
    await endRoot(page)
    const root = await sentry.waitForTransaction("of the page", isRoot)
    await sentry.waitForError("the last", () => sentry.errors().length >= count)
    await sleep(300)
    const errors = sentry.errors()
    for (const { transaction, contexts } of errors) {
      expect(transaction).toBe("/[locale]/news/[id]")
      expect(contexts.trace.trace_id).toBe(root["contexts"].trace.trace_id)
    }
    await page.context().close()
    return { errors, root }
  }

  test("sends what is captured by hand once, with its user, tags and breadcrumbs, before and after the client is loaded", async () => {
    const { app, browser } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    const id = await page.evaluate(() => {
      Sentry.setUser({ id: "u42" })
      Sentry.setTag("plan", "pro")
      Sentry.addBreadcrumb({ category: "cart", message: "added", data: { by: { name: "jane", password: "hunter2" } } })
      const error = new TypeError("captured early")
      Sentry.captureException(error)
      return Sentry.captureException(error)
    })
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    await isIdle(page)
    await recorded.sentry.waitForError("early", (event) => messageOf(event) === "captured early")
    await page.evaluate(() => {
      Sentry.captureMessage("out of stock", "warning")
      Sentry.withScope((scope) => {
        scope.setTag("step", "pay")
        Sentry.captureException("a text")
      })
      Sentry.captureException(new Error("with context"), { tags: { given: "1" } })
      setTimeout(() => {
        throw new Error("uncaught")
      })
    })
    const { errors } = await sent(page, 5)
    expect(errors.map(messageOf).sort()).toEqual([
      "a text",
      "captured early",
      "out of stock",
      "uncaught",
      "with context",
    ])
    for (const event of errors)
      expect(event).toMatchObject({
        user: { id: "u42" },
        tags: { plan: "pro" },
        breadcrumbs: expect.arrayContaining([
          expect.objectContaining({ category: "cart", data: { by: { name: "jane", password: "[Filtered]" } } }),
        ]),
      })
    const by = (message: string) => errors.find((event) => messageOf(event) === message)!
    expect(by("captured early")["exception"].values[0]).toMatchObject({
      type: "TypeError",
      mechanism: { type: "generic", handled: true },
    })
    expect(by("captured early")["exception"].values[0].stacktrace.frames.length).toBeGreaterThan(0)
    expect(by("out of stock")).toMatchObject({ level: "warning" })
    expect(by("out of stock")["exception"]).toBeUndefined()
    expect(by("a text")["tags"]).toMatchObject({ step: "pay" })
    expect(by("with context")["tags"]).toMatchObject({ given: "1" })
    expect(by("uncaught")["exception"].values[0].mechanism.handled).toBe(false)
  })

  test("its page loads have the user, tags and contexts that its code has set", async () => {
    const { app, browser } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    await page.evaluate(() => {
      Sentry.setUser({ id: "u42" })
      Sentry.setTag("plan", "pro")
      Sentry.setContext("cart", { items: 2 })
    })
    // What the page sends before its Sentry client is loaded, because it is left, has none of these.
    await page.evaluate(() => Sentry.captureMessage("loaded"))
    await recorded.sentry.waitForError("by the client", () => true)
    const { root } = await sent(page, 1)
    expect(root).toMatchObject({
      user: { id: "u42" },
      tags: { plan: "pro" },
      contexts: { cart: { items: 2 }, trace: { op: "pageload" } },
      transaction: "/[locale]/news/[id]",
    })
  })

  test("an uncaught error makes its session a crashed one, and has the clicks and requests before it", async () => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    const session = () => sentry.items("session").map(({ payload }) => payload)
    await waitFor("the session", () => session().length === 1)
    await page.locator("h1").click()
    await page.evaluate(async () => {
      await fetch("/monitoring-of-another", { method: "PUT" })
      Sentry.captureMessage("no error")
      setTimeout(() => {
        throw new Error("crashed")
      })
    })
    await waitFor("the crash", () => session().length === 2)
    const { errors } = await sent(page, 2)
    expect(session()).toMatchObject([
      { init: true, status: "ok", errors: 0, attrs: { release: "shop@1", environment: "production" } },
      { init: false, status: "crashed", errors: 1 },
    ])
    expect(new Set(session().map(({ sid }) => sid)).size).toBe(1)
    const crash = errors.find((event) => messageOf(event) === "crashed")!
    expect(crash).toMatchObject({ release: "shop@1", environment: "production" })
    const categories = crash["breadcrumbs"].map(({ category }: Payload) => category)
    expect(categories).toEqual(expect.arrayContaining(["ui.click", "fetch"]))
  })

  test("sends each event that is captured from one place, and feedback, with what the app gave and nothing of its own", async () => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    await isConnected()
    const left: string[][] = []
    page.on("request", (request) => void left.push(request.postData()?.split("\n") ?? []))
    const captured = (type: string): Payload[] =>
      left.flatMap(([, header, payload]) => (header === JSON.stringify({ type }) ? [JSON.parse(payload!)] : []))
    await page.evaluate(() => {
      for (const value of ["first", "second"])
        Sentry.captureEvent({ exception: { values: [{ type: "Odd", value }] }, contexts: { cart: { value } } })
      for (const message of ["good", "bad"]) Sentry.captureFeedback({ message })
      Sentry.captureEvent({ message: "both", exception: { values: [{ type: "Odd", value: "third" }] } })
    })
    const feedback = () => sentry.items("feedback").map(({ payload }) => payload)
    await waitFor("the feedback", () => feedback().length === 2)
    const { errors, root } = await sent(page, 3)
    const values = errors.map(({ exception }) => exception.values.map(({ type, value }: Payload) => `${type} ${value}`))
    expect(values.toSorted()).toEqual([["Odd first"], ["Odd second"], ["Odd third"]])
    // In the order in which they left: requests in flight overtake each other.
    expect(captured("event").map(messageOf)).toEqual(["first", "second", "third"])
    expect(captured("event")[1]?.["contexts"]).toMatchObject({ cart: { value: "second" } })
    expect(captured("event")[2]?.["message"]).toBe("both")
    expect(captured("feedback").map(({ contexts }) => contexts.feedback.message)).toEqual(["good", "bad"])
    for (const { exception, contexts } of feedback()) {
      expect(exception).toBeUndefined()
      expect(contexts.trace.trace_id).toBe(root["contexts"].trace.trace_id)
    }
  })

  test("gives the collector the exceptions among what is captured by hand, and no message, event or feedback", async () => {
    const { app, browser, collector, sentry } = recorded
    collector.clear()
    const page = await visit(browser, `${app.origin}/en/news/1`)
    const capture = (when: string) =>
      page.evaluate((text) => {
        Sentry.captureMessage(`a message ${text}`)
        Sentry.captureEvent({ message: `an event ${text}` })
        Sentry.captureFeedback({ message: `feedback ${text}` })
        Sentry.captureException(new Error(`an error ${text}`))
      }, when)
    await capture("early")
    await waitFor("the root", () => pageSpans(collector).find(isPageload))
    await isConnected()
    await capture("late")
    const exceptions = () =>
      pageSpans(collector)
        .flatMap(({ events }) => events as Payload[])
        .map((event) => attributesOf(event)["exception.message"])
    await waitFor("the late error", () => exceptions().includes("an error late"))
    await waitFor("the events", () => sentry.errors().length === 6 && sentry.items("feedback").length === 2)
    await page.context().close()
    expect(exceptions().sort()).toEqual(["an error early", "an error late"])
  })

  test("sends no query of a relative address in its breadcrumbs", async () => {
    const { app, browser } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    await isConnected()
    await page.evaluate(async () => {
      await fetch("api/search?email=jane@shop.example")
      await fetch("?q=jane")
      await fetch("#jane")
      history.pushState(null, "", "/en/news/1?by=jane#jane")
      Sentry.captureException(new Error("boom"))
    })
    const { errors } = await sent(page, 1)
    const crumbs: Payload[] = errors[0]?.["breadcrumbs"]
    expect(crumbs.filter(({ category }) => category === "fetch").map(({ data }) => data.url)).toEqual([
      "api/search",
      "",
      "",
    ])
    expect(crumbs.find(({ category }) => category === "navigation")?.["data"]).toEqual({
      from: "/en/news/1",
      to: "/en/news/1",
    })
    expect(JSON.stringify(errors)).not.toContain("jane")
  })

  test("runs the event processors of its scopes, in errors and page loads, and counts what they drop", async () => {
    const { app, browser, sentry } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    await isConnected()
    await page.evaluate(() => {
      Sentry.setUser({ id: "u42", email: "jane@shop.example" })
      Sentry.getGlobalScope().addEventProcessor((event) => {
        delete event.user?.email
        return { ...event, extra: { ...event.extra, seen: true } }
      })
      Sentry.addEventProcessor(async (event) => ({ ...event, extra: { ...event.extra, waited: true } }))
      Sentry.withScope((scope) => {
        scope.addEventProcessor(() => null)
        Sentry.captureException(new Error("dropped"))
      })
      Sentry.withScope((scope) => {
        scope.addEventProcessor(() => {
          throw new Error("in the processor")
        })
        Sentry.captureException(new Error("not sent"))
      })
      Sentry.captureException(new Error("sent"))
    })
    const { errors, root } = await sent(page, 1)
    expect(errors.map(messageOf)).toEqual(["sent"])
    for (const event of [...errors, root]) {
      expect(event["user"]).toEqual({ id: "u42" })
      expect(event["extra"]).toEqual({ seen: true, waited: true })
    }
    const reports = await waitFor("the drops", () => {
      const reported = sentry.items("client_report").flatMap(({ payload }) => payload["discarded_events"] as Payload[])
      return reported.length > 0 ? reported : undefined
    })
    expect(reports).toEqual([{ reason: "event_processor", category: "error", quantity: 2 }])
  })

  test("the SDK's other functions do nothing, and throw nothing", async () => {
    const { app, browser } = recorded
    const page = await visit(browser, `${app.origin}/en/news/1`)
    const results = await page.evaluate(async () => [
      await Sentry.flush(10),
      Sentry.startSpan({ name: "own" }, () => "ran"),
      Sentry.isInitialized(),
      Sentry.captureEvent({ message: "an event", level: "info" }).length,
    ])
    expect(results.slice(0, 2)).toEqual([true, "ran"])
    await isIdle(page)
    const { errors } = await sent(page, 1)
    expect(errors.map(messageOf)).toEqual(["an event"])
  })
})
