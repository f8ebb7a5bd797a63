import { afterAll, beforeAll, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, named, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, visit } from "../visit.ts"
import { registerAnother } from "./register-another.ts"

/** A script in the head, such as that of a monitoring service, has registered its OpenTelemetry SDK before Pagespan starts. */

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

test("beside another OpenTelemetry SDK, requests and errors of a page belong to its root", async () => {
  const { app, browser, collector, sentry } = recorded
  const page = await visit(
    browser,
    `${app.origin}/items/1`,
    async (profile) => void (await profile.addInitScript(registerAnother)),
  )
  await page.evaluate(() => fetch("/api/things/1"))
  await page.evaluate(() => reportError(new Error("beside another SDK")))
  await endRoot(page)
  const root: Payload = await waitFor("the pageload", () =>
    sentry.transactions().find(({ transaction }) => transaction === "/items/[id]"),
  )
  const { span_id, trace_id } = root["contexts"].trace
  expect(named(root, "GET /api/things/[id]")).toMatchObject({ parent_span_id: span_id, trace_id })
  expect(childrenOf(root).map(({ trace_id }) => trace_id)).toEqual(childrenOf(root).map(() => trace_id))
  const error = await waitFor("the error", () => sentry.items("event").map(({ payload }) => payload)[0])
  expect(error["contexts"].trace).toMatchObject({ trace_id })
  const exported = () => pageSpans(collector).find((span) => span["name"] === "GET /api/things/[id]")
  const request = await waitFor("the request's span", exported)
  expect(request).toMatchObject({ traceId: trace_id, parentSpanId: span_id })
  expect(attributesOf(request)["http.response.status_code"]).toBeDefined()
  // The other SDK stays registered.
  const isStillRegistered = await page.evaluate(() => {
    const registered = Reflect.get(window, Symbol.for("opentelemetry.js.api.1")) as { context: unknown }
    return registered.context === (window as unknown as { another: unknown }).another
  })
  expect(isStillRegistered).toBe(true)
  await page.context().close()
})
