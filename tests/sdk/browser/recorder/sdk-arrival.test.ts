import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { childrenOf, pageScopes } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, open, rootsOf, route, shows, storyOf } from "../visit.ts"
import { holdSdk } from "./sdk-chunk.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())
beforeEach(() => {
  sentry.clear()
  collector.clear()
})

/** A gate for requests that match. */
interface Gate {
  open(): void
  /** Resolves when a request waits at it. */
  readonly reached: Promise<void>
}

function gate(): Gate & { pass(): Promise<void> } {
  let [open, reach] = [() => {}, () => {}]
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  return { open: () => open(), reached, pass: () => (reach(), opened) }
}

/** Opens a page whose chunk with the SDK waits at a gate, or never arrives. */
async function visitWithout(path: string, isNever = false): Promise<{ page: Page; sdk: Gate }> {
  const page = await (await browser.newContext()).newPage()
  const sdk = gate()
  await holdSdk(page, async () => {
    await sdk.pass()
    return !isNever
  })
  await open(page, `${app.origin}${path}`)
  return { page, sdk }
}

type Made = "by the recorder" | "by the SDK"

/** Makes a span of the app itself, and returns by what. */
function ownSpan(page: Page, name: string): Promise<Made> {
  return page.evaluate((name) => {
    const { trace } = (globalThis as never)[Symbol.for("opentelemetry.js.api.1")] as Payload
    const span = trace.getTracer("app", "1.0").startSpan(name)
    span
      .setAttributes({ text: "a", list: [1, 2] })
      .addEvent("step", { n: 1 })
      .end()
    return "_spanContext" in span ? "by the SDK" : "by the recorder"
  }, name)
}

/** Starts a span of the app itself, which `endOwn` ends. */
const beginOwn = (page: Page) =>
  page.evaluate(() => {
    const { trace } = (globalThis as never)[Symbol.for("opentelemetry.js.api.1")] as Payload
    Object.assign(window, { ownWork: trace.getTracer("app", "1.0").startSpan("long work") })
  })
const endOwn = (page: Page) => page.evaluate(() => (window as unknown as Payload)["ownWork"].end())

const request = (page: Page) => page.evaluate(() => fetch("/api/things/1").then(({ text }) => text))

const MADE = new Set(["GET /api/things/[id]", "RSC /items/[id]", "before", "long work", "after", "transition"])

/** The roots with the children that the walk makes, whose ids, parents and times are checked; the same spans must reach the collector. */
async function said(roots: readonly Payload[]): Promise<readonly string[]> {
  const known = new Map<string, Payload>()
  const lines = roots.map((root, index) => {
    const { trace_id, span_id } = root["contexts"].trace
    known.set(span_id, root)
    const children = childrenOf(root).filter(({ description }) => MADE.has(description))
    for (const child of children) {
      expect(child).toMatchObject({
        trace_id,
        parent_span_id: span_id,
        span_id: expect.stringMatching(/^[\da-f]{16}$/),
      })
      expect(child["start_timestamp"]).toBeGreaterThanOrEqual(root["start_timestamp"])
      expect(child["timestamp"]).toBeLessThanOrEqual(root["timestamp"])
      known.set(child["span_id"], child)
    }
    return `${storyOf(roots)[index]}: ${children
      .map(({ description }) => description)
      .sort()
      .join(", ")}`
  })
  const exported = await waitFor("the collector's spans", () => {
    const spans = pageScopes(collector).flatMap(({ scope, spans }) =>
      (spans as Payload[]).map((span) => ({ ...span, scope: `${scope.name}@${scope.version ?? ""}` }) as Payload),
    )
    const own = spans.filter(({ spanId }) => known.has(spanId))
    return own.length >= known.size && own
  })
  expect(exported.map(({ spanId }) => spanId).sort()).toEqual([...known.keys()].sort())
  for (const { name, scope, events, startTimeUnixNano, spanId } of exported) {
    const isOwn = ["before", "after", "long work"].includes(name)
    expect(scope).toBe(isOwn ? "app@1.0" : "pagespan@")
    expect(events?.[0]?.name).toBe(isOwn && name !== "long work" ? "step" : undefined)
    expect(Number(startTimeUnixNano) / 1e9).toBeCloseTo(known.get(spanId)!["start_timestamp"], 3)
  }
  return lines
}

const STORY = (first: string, second: string) => [
  `pageload /items/[id]: ${first}`,
  `navigation /items/[id] by push: ${second}`,
]

test("the SDK arrives early: it makes the spans from then on", async () => {
  const { page, sdk } = await visitWithout("/items/1")
  expect(await ownSpan(page, "before")).toBe("by the recorder")
  sdk.open()
  await isIdle(page)
  expect(await ownSpan(page, "after")).toBe("by the SDK")
  await request(page)
  await route(page, "push", "/items/2")
  await shows(page, "item 2")
  const roots = await rootsOf(page, sentry, 2)
  expect(await said(roots)).toEqual(STORY("GET /api/things/[id], after, before", "RSC /items/[id], transition"))
})

test("the SDK arrives late: what was recorded keeps its ids, times and parents, and what is open ends where it began", async () => {
  const { page, sdk } = await visitWithout("/items/1")
  await ownSpan(page, "before")
  await request(page)
  await route(page, "push", "/items/2")
  await shows(page, "item 2")
  await beginOwn(page)
  await sdk.reached
  sdk.open()
  await isIdle(page)
  await endOwn(page)
  expect(await ownSpan(page, "after")).toBe("by the SDK")
  const roots = await rootsOf(page, sentry, 2)
  expect(await said(roots)).toEqual(
    STORY("GET /api/things/[id], before", "RSC /items/[id], after, long work, transition"),
  )
})

test("the SDK arrives during a navigation: its root and its requests are not interrupted", async () => {
  const { page, sdk } = await visitWithout("/items/1")
  await ownSpan(page, "before")
  const data = gate()
  await page.route(
    (url) => url.pathname === "/items/2",
    async (each) => {
      await data.pass()
      await each.continue()
    },
  )
  await sdk.reached
  await route(page, "push", "/items/2")
  await data.reached
  sdk.open()
  await isIdle(page)
  expect(await ownSpan(page, "after")).toBe("by the SDK")
  data.open()
  await shows(page, "item 2")
  await request(page)
  const roots = await rootsOf(page, sentry, 2)
  expect(await said(roots)).toEqual(STORY("before", "GET /api/things/[id], RSC /items/[id], after, transition"))
})

test("the SDK never arrives: a page that is left sends all that was recorded", async () => {
  const { page, sdk } = await visitWithout("/items/1", true)
  sdk.open()
  await sdk.reached
  await ownSpan(page, "before")
  await request(page)
  await route(page, "push", "/items/2")
  await shows(page, "item 2")
  expect(await ownSpan(page, "after")).toBe("by the recorder")
  const roots = await rootsOf(page, sentry, 2)
  expect(await said(roots)).toEqual(STORY("GET /api/things/[id], before", "RSC /items/[id], after, transition"))
})
