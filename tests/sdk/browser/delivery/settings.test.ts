import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { PAGE_QUEUE_SPAN_LIMIT, QUEUED_ENVELOPE_LIMIT } from "#otel/protocol/limits.ts"
import { PageSampling } from "#otel/sdk/browser/delivery/page-sampling.ts"
import { SETTINGS_MEDIA_TYPE } from "#otel/sdk/page-settings.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "../app-under-test.ts"
import { isRoot, open } from "../visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
})

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

/** The failure of a request for settings. */
type Failure = "no network" | 503 | 500 | "a portal's page"

interface StaticPage {
  readonly page: Page
  /** The number of failed requests for settings. */
  failed(): number
  /** Makes later requests succeed. */
  heal(): void
  readonly drops: string[]
}

/**
 * A document made at build time whose requests for settings fail in these ways in turn, the last one until `heal`.
 *
 * @param thrownAtLoad how many errors it throws as it loads.
 */
async function staticPage(
  failures: readonly Failure[],
  isHealedByItself: boolean,
  thrownAtLoad = 0,
): Promise<StaticPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript((count) => {
    addEventListener("load", () => {
      for (let index = 0; index < count; index++) void Promise.reject(new Error(`waiting ${index}`))
    })
  }, thrownAtLoad)
  const drops: string[] = []
  let failed = 0
  let isHealed = false
  page.on("request", (request) => drops.push(request.headers()["pagespan-drops"] ?? ""))
  await page.route("**/monitoring", async (route) => {
    const isForSettings = route.request().headers()["content-type"] === SETTINGS_MEDIA_TYPE
    if (!isForSettings || isHealed || (isHealedByItself && failed >= failures.length)) return route.continue()
    const failure = failures[Math.min(failed++, failures.length - 1)]
    if (failure === "no network") return route.abort()
    if (failure === "a portal's page") return route.fulfill({ status: 200, body: "<p>Please sign in</p>" })
    return route.fulfill({ status: failure ?? 500, body: "{}" })
  })
  await open(page, `${app.origin}/static`)
  return { page, drops, failed: () => failed, heal: () => void (isHealed = true) }
}

const throwInPage = (page: Page, count: number) =>
  page.evaluate((count) => {
    for (let index = 0; index < count; index++) void Promise.reject(new Error(`waiting ${index}`))
  }, count)

test("failed requests for settings do not turn Sentry off: waiting records are sent after the first that succeeds", async () => {
  const failures = ["no network", 503, "a portal's page"] as const
  const { page, failed } = await staticPage(failures, true)
  await throwInPage(page, 1)
  const error = await sentry.waitForError("that waited", (event) => event["exception"].values[0].value === "waiting 0")
  await sentry.waitForTransaction("the pageload", isRoot)
  expect(failed()).toBe(failures.length)
  // The client has read it: an early unload would have sent it raw.
  expect(error["exception"].values[0].stacktrace.frames.length).toBeGreaterThan(0)
  await throwInPage(page, 2)
  await sentry.waitForError("after it", (event) => event["exception"].values[0].value === "waiting 1")
  expect(sentry.errors()).toHaveLength(2)
  await page.context().close()
})

test("records that wait for settings are bounded, and those beyond are counted", async () => {
  const THROWN = QUEUED_ENVELOPE_LIMIT + 10
  // All are thrown before the root ends, which would take a place of the queue.
  const { page, drops, failed, heal } = await staticPage([500], false, THROWN)
  await waitFor("a request to fail", () => failed() > 0)
  // The root ends meanwhile, and finds no place.
  await page.waitForTimeout(1_500)
  expect(sentry.errors()).toEqual([])
  heal()
  const dropped = () =>
    drops
      .flatMap((header) => [...header.matchAll(/queue_overflow\/error=(\d+)/g)])
      .reduce((sum, [, count]) => sum + Number(count), 0)
  await waitFor("all to be sent or counted", () => sentry.errors().length + dropped() >= THROWN)
  await page.waitForTimeout(300)
  expect([sentry.errors().length, dropped()]).toEqual([QUEUED_ENVELOPE_LIMIT, THROWN - QUEUED_ENVELOPE_LIMIT])
  await page.context().close()
})

test("a page that never gets its sampling rate remembers a bounded number of traces", () => {
  const sampling = new PageSampling()
  const ids = Array.from({ length: 3 * PAGE_QUEUE_SPAN_LIMIT }, (_, index) => index.toString(16).padStart(32, "0"))
  for (const traceId of ids) sampling.decide(undefined, traceId)
  const undecided = ids.filter((traceId) => sampling.isUndecided({ traceId, spanId: "1".repeat(16), traceFlags: 1 }))
  expect(undecided).toEqual(ids.slice(-PAGE_QUEUE_SPAN_LIMIT))
})
