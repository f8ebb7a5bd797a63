import type { TraceAPI } from "@opentelemetry/api"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { EXCEPTION_TEXT_LIMIT } from "#otel/protocol/limits.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, named, pageSpans } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { endRoot, route, shows, visit } from "./visit.ts"

/** Longer than the longest root. */
const LIMIT_MS = 45_000
const SPANS = 1_200

type WithOtel = { otel: TraceAPI }

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp
/** The three roots run concurrently. */
const seen = new Map<string, Promise<Payload>>()

beforeAll(async () => {
  // Children are dropped only in this format. By default Pagespan sends such a root as a stream.
  recorded = await startRecordedApp("routes", { environment: { PAGESPAN_SPANS: "transaction" } })
  ;({ browser, sentry, collector, app } = recorded)
  for (const [name, act] of Object.entries({ busy, stuck, crowded })) seen.set(name, rootOf(act))
})

afterAll(() => recorded?.stop())

/** Navigates to a page, acts in it, and waits for its root. */
async function rootOf(act: (page: Page) => Promise<unknown>): Promise<Payload> {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/about")
  await shows(page, "about")
  const mark = await act(page)
  const root = await sentry.waitForTransaction(
    String(mark),
    (transaction) => childrenOf(transaction).some(({ description }) => description === mark),
    LIMIT_MS,
  )
  await endRoot(page)
  return root
}

/** A child is always open: each starts before the previous one ends. */
const busy = (page: Page) =>
  page.evaluate(() => {
    const tracer = (window as unknown as WithOtel).otel.getTracer("app")
    let last = tracer.startSpan("busy")
    setInterval(() => {
      const next = tracer.startSpan("busy")
      last.end()
      last = next
    }, 500)
    return "busy"
  })

const stuck = (page: Page) =>
  page.evaluate(() => {
    ;(window as unknown as WithOtel).otel.getTracer("app").startSpan("stuck")
    return "stuck"
  })

/** Children that started first end last, so that only the start decides which ones are dropped. */
const crowded = (page: Page) =>
  page.evaluate((count) => {
    const tracer = (window as unknown as WithOtel).otel.getTracer("app")
    const from = performance.timeOrigin + performance.now()
    for (let index = count - 1; index >= 0; index--)
      tracer.startSpan(`span ${index}`, { startTime: from + index / 100 }).end(from + count)
    return "span 0"
  }, SPANS)

const lengthOf = ({ start_timestamp, timestamp }: Payload) => timestamp - start_timestamp

test(
  "a root with constant activity ends after 30 s",
  async () => {
    const root = await seen.get("busy")!
    expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("final_timeout")
    expect(lengthOf(root)).toBeLessThanOrEqual(30)
    expect(lengthOf(root)).toBeGreaterThan(15)
    for (const child of childrenOf(root)) expect(child["timestamp"]).toBeLessThanOrEqual(root["timestamp"])
  },
  LIMIT_MS,
)

test(
  "a root waits 15 s for a child that never ends, and ends it",
  async () => {
    const root = await seen.get("stuck")!
    expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("child_timeout")
    const child = named(root, "stuck")!
    expect(child["data"]["pagespan.end_reason"]).toBe("child_timeout")
    expect(child["timestamp"]).toBeLessThanOrEqual(Math.max(root["timestamp"], child["start_timestamp"]))
    const envelope = sentry
      .items("transaction")
      .find(({ payload }) => payload["event_id"] === root["event_id"])!.envelope
    const sentAt = Date.parse(envelope.header["sent_at"]) / 1_000
    expect(sentAt - child["start_timestamp"]).toBeGreaterThanOrEqual(15)
  },
  LIMIT_MS,
)

test(
  "of more than 1,000 children those that started last are dropped, and counted",
  async () => {
    const root = await seen.get("crowded")!
    const children = childrenOf(root)
    expect(children).toHaveLength(1_000)
    const sent = children.flatMap(({ description }) => /^span (\d+)$/.exec(description)?.[1] ?? []).map(Number)
    expect(sent.sort((a, b) => a - b)).toEqual(Array.from({ length: sent.length }, (_, index) => index))
    const { trace_id } = root["contexts"].trace
    const atCollector = () => pageSpans(collector).filter(({ traceId }) => traceId === trace_id)
    // The collector has no such limit and gets all of them.
    await waitFor(
      "all at the collector",
      () => atCollector().filter(({ name }) => name.startsWith("span ")).length === SPANS,
    )
    const reported = await waitFor("the drop", () =>
      sentry
        .items("client_report")
        .flatMap(({ payload }) => payload["discarded_events"] as Payload[])
        .find(({ category, quantity }) => category === "span" && quantity >= SPANS - sent.length),
    )
    // The page's own requests may be among the dropped children.
    await expect.poll(() => atCollector().length).toBe(1 + children.length + reported["quantity"])
  },
  LIMIT_MS,
)

test("a root with an error of 600,000 characters reaches the collector, with whole words of its message and its stack", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/about")
  await shows(page, "about")
  await page.evaluate(() => {
    // Pagespan's own listener was added before.
    const seen = new Promise<void>((done) => window.addEventListener("unhandledrejection", () => done()))
    void Promise.reject(new Error("long ".repeat(120_000)))
    return seen
  })
  await endRoot(page)
  const root = await waitFor("the root", () =>
    pageSpans(collector).find(({ events }) => (events as Payload[] | undefined)?.some(isLongError)),
  )
  expect(root).toMatchObject({ name: "/about" })
})

function isLongError(event: Payload): boolean {
  const { "exception.message": message, "exception.stacktrace": stack } = attributesOf(event)
  return message === "long ".repeat(EXCEPTION_TEXT_LIMIT / 5) && /^Error: (?:long )+$/.test(String(stack))
}
