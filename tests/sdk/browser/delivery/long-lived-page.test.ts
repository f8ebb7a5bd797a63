import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { open, route, shows } from "../visit.ts"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

beforeEach(() => {
  recorded.sentry.clear()
  recorded.collector.clear()
})

interface Delivered {
  readonly keepalive: boolean
  readonly visibility: string
}

/** A page that records its requests to the tunnel, and the drops that it has reported. */
async function observedPage(): Promise<{ page: Page; drops: string[] }> {
  const context = await recorded.browser.newContext()
  await context.addInitScript(() => {
    const delivered: Delivered[] = []
    const native = window.fetch
    Object.assign(window, { delivered })
    window.fetch = (input, init) => {
      if (input === "/monitoring")
        delivered.push({ keepalive: init?.keepalive === true, visibility: document.visibilityState })
      return native(input, init)
    }
  })
  const page = await context.newPage()
  const drops: string[] = []
  page.on("request", (request) => {
    const header = request.headers()["pagespan-drops"]
    if (header) drops.push(header)
  })
  await open(page, `${recorded.app.origin}/items/1`)
  return { page, drops }
}

const delivered = (page: Page) =>
  page.evaluate(() => (window as unknown as { delivered: Delivered[] }).delivered.splice(0))

/** Ends spans with texts that do not compress: letters alone, two bytes each, so that nothing in them looks like a secret. */
function endSpans(page: Page, name: string, count: number, characters: number): Promise<void> {
  return page.evaluate(
    ({ name, count, characters }) => {
      type Otel = { otel: { getTracer(name: string): { startSpan(name: string, options: object): { end(): void } } } }
      const tracer = (window as unknown as Otel).otel.getTracer("test")
      for (let index = 0; index < count; index++) {
        const random = crypto.getRandomValues(new Uint8Array(characters))
        const text = Array.from(random, (byte) => String.fromCharCode(0xc0 + (byte % 64))).join("")
        tracer.startSpan(`${name}.${index}`, { attributes: { text } }).end()
      }
    },
    { name, count, characters },
  )
}

const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  })

const show = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  })

/** The number of characters of the test's texts that reached the collector, each span once. */
function arrived(prefix: string): { spans: number; characters: number; names: number } {
  const spans = pageSpans(recorded.collector).filter(({ name }) => String(name).startsWith(prefix))
  const characters = spans.reduce((sum, span) => sum + String(attributesOf(span)["text"]).length, 0)
  return { spans: spans.length, characters, names: new Set(spans.map(({ name }) => name)).size }
}

const BATCHES = 64
const SPANS = 4
const CHARACTERS = 2_048

test.each(["visible", "hidden"])(
  "a megabyte of spans in consecutive batches from one document arrives, each span once: %s",
  async (state) => {
    const { page, drops } = await observedPage()
    // Sentry's client is loaded once the page is idle; a page that is hidden before drops the spans that only it can send.
    await recorded.sentry.waitForTransaction(
      "the pageload in Sentry",
      ({ transaction }) => transaction === "/items/[id]",
    )
    await waitFor("the pageload", () => pageSpans(recorded.collector).some(({ name }) => name === "/items/[id]"))
    await delivered(page)
    const prefix = `${state} batch`
    for (let batch = 0; batch < BATCHES; batch++) {
      await endSpans(page, `${prefix} ${batch}`, SPANS, CHARACTERS)
      // The end of a root and hiding the page both send what waits.
      if (state === "visible") {
        await route(page, "push", `/items/${batch + 2}`)
        await shows(page, `item ${batch + 2}`)
      } else {
        await hide(page)
        await show(page)
      }
      await sleep(20)
    }
    await hide(page)
    await waitFor("all spans", () => arrived(prefix).names >= BATCHES * SPANS, 60_000).catch(() => undefined)
    expect(arrived(prefix)).toEqual({
      spans: BATCHES * SPANS,
      names: BATCHES * SPANS,
      characters: BATCHES * SPANS * CHARACTERS,
    })
    // Sentry's transport buffers 64 transactions, and counts those beyond as dropped.
    expect(drops.filter((header) => /span=|network_error/.test(header))).toEqual([])
    const sent = await delivered(page)
    expect(sent.length).toBeGreaterThan(BATCHES)
    // The app shares the browser's limit.
    expect(sent.filter(({ keepalive, visibility }) => keepalive && visibility === "visible")).toEqual([])
    expect(sent.some(({ keepalive }) => keepalive)).toBe(true)
    await page.context().close()
  },
)
