import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sampleRand, shouldSample } from "#otel/sdk/sentry/sampling.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "../app-under-test.ts"
import { isRoot, open, route, shows } from "../visit.ts"

/** Half of all traces, including those that start in a page. */
const RATE = 0.5
const VISITS = 8

interface TracedRequest {
  readonly traceId: string
  readonly traceparent: string
  readonly sentryTrace: string
  readonly baggage: string
}

let browser: Browser
let sentry: RecordingSentry
let collector: RecordingCollector
let app: AppUnderTest
/** Requests of the pages with trace headers. */
const requests: TracedRequest[] = []
const dropHeaders: string[] = []

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await startApp("routes", {
    environment: {
      SENTRY_DSN: sentry.dsn,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: String(RATE),
    },
  })
  for (let visit = 0; visit < VISITS; visit++) await visitTheApp(visit)
  await waitFor(
    "all that is sampled",
    () => idsInSentry().size >= sampledOf(requests).length && idsInCollector().size >= sampledOf(requests).length,
  )
  // An excess envelope would have arrived by now.
  await sleep(500)
})

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
  await collector?.close()
})

/** Loads a document made at build time or rendered for the visitor, then navigates twice, each time with a request. */
async function visitTheApp(visit: number): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.on("request", (request) => {
    const headers = request.headers()
    const { traceparent = "", baggage = "" } = headers
    const header = headers["pagespan-drops"]
    if (header !== undefined) dropHeaders.push(header)
    if (traceparent !== "")
      requests.push({
        traceId: traceparent.split("-")[1] ?? "",
        traceparent,
        sentryTrace: headers["sentry-trace"] ?? "",
        baggage,
      })
  })
  await open(page, `${app.origin}${visit % 2 === 0 ? "/static" : "/items/9"}`)
  await page.evaluate(() => fetch("/api/things/0"))
  for (const [step, path] of ["/items/1", "/docs/a"].entries()) {
    await route(page, "push", path)
    await shows(page, step === 0 ? "item" : "docs")
    await page.evaluate((id) => fetch(`/api/things/${id}`), step)
  }
  // Hiding the page makes it send everything while requests can still be recorded.
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  })
  await sleep(300)
  await page.goto("about:blank")
  await context.close()
}

const sampledOf = (requests: readonly TracedRequest[]) => [
  ...new Set(requests.map(({ traceId }) => traceId).filter((id) => shouldSample(id, RATE))),
]
const idsInSentry = () =>
  new Set(
    sentry
      .transactions()
      .filter(isRoot)
      .map((root) => String(root["contexts"].trace.trace_id)),
  )
const idsInCollector = () =>
  new Set(
    collector
      .spans()
      .filter(({ attributes }) => ["pageload", "navigation"].includes(String(attributes.get("sentry.op"))))
      .map(({ traceId }) => String(traceId)),
  )

test("a page includes some traces that start in it and excludes others", () => {
  const all = new Set(requests.map(({ traceId }) => traceId))
  expect(all.size).toBe(VISITS * 3)
  expect(sampledOf(requests).length).toBeGreaterThan(0)
  expect(sampledOf(requests).length).toBeLessThan(all.size)
})

test("Sentry and OTLP get the same traces, also of pages made at build time", () => {
  expect([...idsInSentry()].toSorted()).toEqual(sampledOf(requests).toSorted())
  expect([...idsInCollector()].toSorted()).toEqual(sampledOf(requests).toSorted())
})

test("the servers that these pages call make the same decision", async () => {
  const servers = new Set(
    collector
      .spans()
      .filter(({ kind }) => kind === "server")
      .map(({ traceId }) => String(traceId)),
  )
  expect([...servers].filter((id) => !shouldSample(id, RATE))).toEqual([])
})

test("every request has the decision in all its headers, or leaves it open if it is not made yet", () => {
  let undecided = 0
  for (const { traceId, traceparent, sentryTrace, baggage } of requests) {
    const flag = shouldSample(traceId, RATE) ? 1 : 0
    if (sentryTrace.split("-").length === 2) {
      undecided++
      expect(baggage).toBe("")
      continue
    }
    expect([traceparent.at(-1), sentryTrace.at(-1)]).toEqual([String(flag), String(flag)])
    if (baggage === "") continue
    expect(baggage).toContain(`sentry-sampled=${flag === 1}`)
    expect(baggage).toContain(`sentry-sample_rate=${RATE}`)
    expect(baggage).toContain(`sentry-sample_rand=${sampleRand(traceId).toFixed(6)}`)
  }
  console.info(`${undecided} of ${requests.length} requests left the decision open`)
})

test("excluded traces are reported as drops, with their number", () => {
  const excluded = new Set(requests.map(({ traceId }) => traceId).filter((id) => !shouldSample(id, RATE)))
  const counts = dropHeaders.flatMap((header) =>
    [...header.matchAll(/sample_rate\/transaction=(\d+)/g)].map(([, count]) => Number(count)),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(excluded.size)
})
