import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import { LATE_REQUEST_LIMIT } from "#otel/protocol/limits.ts"
import { PAGE_DROPS_HEADER } from "#otel/sdk/page-drops.ts"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { attributesOf, isPageload, type OtlpSpan, pageSpans } from "#tests/sdk/browser/exported-spans.ts"
import { registerAnother } from "#tests/sdk/browser/requests/register-another.ts"
import { startRecordedApp } from "#tests/sdk/browser/recorded-app.ts"
import { isRoot, visit } from "#tests/sdk/browser/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** Errors after the end of a root. Except in the last test, the app has no Sentry: what its pages report reaches a collector alone. */

let browser: Browser
let collector: RecordingServer
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  collector = await new RecordingServer().listen()
  app = await startApp("routes", {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    },
  })
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await collector?.close()
})

beforeEach(() => collector.clear())

const errorSpans = (by = collector) => pageSpans(by).filter(({ name }) => name === "exception")
const messagesOf = ({ events }: OtlpSpan) => events.map((event: OtlpSpan) => attributesOf(event)["exception.message"])

const throwLater = (page: Page, messages: readonly string[]) =>
  page.evaluate((all) => {
    for (const message of all)
      setTimeout(() => {
        throw new TypeError(message)
      })
  }, messages)

test.each([
  ["/items/1", "/items/[id]", "no other SDK"],
  // It has no settings before the tunnel answers.
  ["/static", "/static", "no other SDK"],
  ["/items/1", "/items/[id]", "another OpenTelemetry SDK"],
])(
  "in %s, an error after the end of the root is a span below it, with the route %s, beside %s",
  async (path, route, sdk) => {
    const page = await visit(browser, `${app.origin}${path}`, async (profile) => {
      if (sdk !== "no other SDK") await profile.addInitScript(registerAnother)
    })
    const root = await waitFor("the root", () => pageSpans(collector).find(isPageload))
    await throwLater(page, ["of a click"])
    const [span] = await waitFor("the span of the error", () => errorSpans().length > 0 && errorSpans())
    expect(span).toMatchObject({ traceId: root["traceId"], parentSpanId: root["spanId"] })
    expect(attributesOf(span!)).toMatchObject({
      "http.route": route,
      "browser.document.url.full": `${app.origin}${path}`,
    })
    const [event] = span!["events"]
    expect(attributesOf(event)).toMatchObject({
      "exception.type": "TypeError",
      "exception.message": "of a click",
      "exception.stacktrace": expect.stringContaining("TypeError: of a click"),
    })
    expect([span!["endTimeUnixNano"], event.timeUnixNano]).toEqual([
      span!["startTimeUnixNano"],
      span!["startTimeUnixNano"],
    ])
    await page.context().close()
  },
)

test("an error that the open root records has no span of its own", async () => {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript(() =>
    window.addEventListener("load", () => {
      throw new TypeError("while it loads")
    }),
  )
  await page.goto(`${app.origin}/items/1`)
  const root = await waitFor("the root", () => pageSpans(collector).find(isPageload))
  expect(messagesOf(root)).toEqual(["while it loads"])
  await throwLater(page, ["later"])
  await waitFor("the span of the error", () => errorSpans().length > 0)
  expect(errorSpans().flatMap(messagesOf)).toEqual(["later"])
  await page.context().close()
})

test(`a root takes ${LATE_REQUEST_LIMIT} errors after its end, and the others are counted`, async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await waitFor("the root", () => pageSpans(collector).find(isPageload))
  const counted = page.waitForRequest((request) => request.headers()[PAGE_DROPS_HEADER] !== undefined)
  await throwLater(
    page,
    Array.from({ length: LATE_REQUEST_LIMIT + 20 }, (_, index) => `error ${index}`),
  )
  expect((await counted).headers()[PAGE_DROPS_HEADER]).toContain("limit_spans")
  await waitFor("the spans", () => errorSpans().length >= LATE_REQUEST_LIMIT)
  expect(errorSpans()).toHaveLength(LATE_REQUEST_LIMIT)
  await page.context().close()
})

test("in an app with Sentry, an error after the end of the root is an event of Sentry's, and a span that Sentry does not get", async () => {
  const both = await startRecordedApp("routes")
  onTestFinished(() => both.stop())
  const { sentry } = both
  const page = await visit(both.browser, `${both.app.origin}/items/1`)
  const root = await waitFor("the root", () => pageSpans(both.collector).find(isPageload))
  await sentry.waitForTransaction("of the load", isRoot)
  await throwLater(page, ["of a click"])
  const event = await sentry.waitForError("of a click", () => true)
  const [span] = await waitFor("its span", () => errorSpans(both.collector).length > 0 && errorSpans(both.collector))
  expect(span).toMatchObject({ traceId: root["traceId"], parentSpanId: root["spanId"] })
  expect(messagesOf(span!)).toEqual(["of a click"])
  expect(event["contexts"].trace).toMatchObject({ trace_id: root["traceId"], span_id: root["spanId"] })
  await page.context().close()
  const sent = sentry.envelopes().flatMap(({ items }) => items)
  expect(
    sent.filter(({ payload }) => JSON.stringify(payload).includes('"exception"')).map(({ header }) => header.type),
  ).toEqual(["event"])
  const ofPage = sentry.transactions().filter(({ platform }) => platform === "javascript")
  expect(ofPage.map((each) => isRoot(each))).toEqual([true])
})
