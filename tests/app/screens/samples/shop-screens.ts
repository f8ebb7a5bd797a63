import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { complaint } from "../session/screen-session.ts"
import { idOf, SLOWER_VISIT, SPAN, visit, VISIT } from "./shop-trace.ts"

export const LARGE = "5b8efff798038103d269b633813fc6ff"
export const LARGE_SPANS = 5_000

/** The built inspector with a real store, the visits of a shop, and a browser. Shared by the tests of a file. */
export interface ShopScreens {
  readonly page: Page
  readonly url: string
  /** When the visit began, in milliseconds since the epoch. */
  readonly now: number
  /** Errors and content security policy violations of the page. */
  readonly complaints: readonly string[]
}

let app: RunningApp
let now: number

export function shopScreens(): () => ShopScreens {
  let browser: Browser | undefined
  let screens: ShopScreens | undefined
  beforeAll(async () => {
    now = Date.now() - 60_000
    app = await RunningApp.start()
    browser = await launchChromium()
    await seed()
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: app.url })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on("console", (message) => message.type() === "error" && complaints.push(complaint(message)))
    page.on("pageerror", (error) => complaints.push(error.message))
    screens = { page, url: app.url, now, complaints }
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })
  return () => screens!
}

async function seed(): Promise<void> {
  await post(visit(VISIT, now))
  await post(visit(SLOWER_VISIT, now - 5_000, 40))
  for (let i = 0; i < 4; i++) await post(visit(`${VISIT.slice(0, 29)}9${i}0`, now - 20_000 - i, i * 5))
  await post(largeTrace())
  await sendToSentryHandler()
  await waitFor("all traces", async () => (await counted(LARGE)) === LARGE_SPANS && (await counted(VISIT)) === 14)
  await waitFor("both records", async () => (await recordsOf(SPAN.items)).length === 2)
}

async function post(body: object): Promise<void> {
  const response = await fetch(`${app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  expect(await response.json()).toEqual({})
}

function largeTrace() {
  const start = BigInt(now) * 1_000_000n
  const spans = Array.from({ length: LARGE_SPANS }, (_, i) => ({
    traceId: LARGE,
    spanId: idOf(LARGE, i + 1),
    ...(i > 0 && { parentSpanId: idOf(LARGE, Math.floor((i - 1) / 9) + 1) }),
    name: i === 0 ? "large" : `step ${i % 50}`,
    kind: 1,
    startTimeUnixNano: String(start + BigInt(i * 1_000)),
    endTimeUnixNano: String(start + BigInt(i * 1_000 + 5_000_000)),
    attributes: [{ key: "request.id", value: { stringValue: `r-${i}` } }],
  }))
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] }
}

/** The span of the API sent again over Sentry's protocol, with an error event in it. */
async function sendToSentryHandler(): Promise<void> {
  const trace = {
    trace_id: VISIT,
    span_id: idOf(VISIT, SPAN.items),
    parent_span_id: idOf(VISIT, SPAN.fetch),
    op: "http.server",
  }
  const seconds = (ms: number) => (now + ms) / 1_000
  const items = [
    {
      type: "transaction",
      event_id: "1".repeat(32),
      transaction: "GET /items/[id]",
      start_timestamp: seconds(18),
      timestamp: seconds(55),
      spans: [],
      contexts: { trace: { ...trace, data: { "http.route": "/items/[id]", only: "here" } } },
    },
    {
      type: "event",
      event_id: "2".repeat(32),
      timestamp: seconds(40),
      level: "error",
      exception: { values: [{ type: "StockError", value: "none left" }] },
      contexts: { trace },
    },
  ]
  for (const payload of items) {
    const body = [{ event_id: payload["event_id"] }, { type: payload.type }, payload].map((each) =>
      JSON.stringify(each),
    )
    const response = await fetch(`${app.url}/api/1/envelope/?sentry_key=${"a".repeat(32)}`, {
      method: "POST",
      headers: { "content-type": "application/x-sentry-envelope" },
      body: body.join("\n"),
    })
    expect(response.status).toBe(200)
  }
}

async function counted(traceId: string): Promise<number> {
  const response = await fetch(`${app.url}/api/traces/${traceId}`)
  if (!response.ok) return 0
  const { resourceSpans } = (await response.json()) as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length
}

async function recordsOf(number: number): Promise<unknown[]> {
  const response = await fetch(`${app.url}/api/traces/${VISIT}/spans/${idOf(VISIT, number)}`)
  return ((await response.json()) as { spans: unknown[] }).spans
}

/** Waits for the URL, which follows the state with a delay. */
export async function addressHas(page: Page, name: string, value: string | null): Promise<void> {
  await waitFor(`${name} to be ${value} in the address`, () => new URL(page.url()).searchParams.get(name) === value)
}
