import type { TracerProvider } from "@opentelemetry/api"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { visit } from "../visit.ts"

/** What a page asks of `fetch` and `XMLHttpRequest` happens as without Pagespan. */

const ELSEWHERE = "http://elsewhere.test"

let recorded: RecordedApp
let page: Page
/** What the server received at `/echo`: method and headers. */
let received: { readonly method: string; readonly headers: Record<string, string> }[]

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

beforeEach(async () => {
  received = []
  page = await visit(recorded.browser, `${recorded.app.origin}/items/1`)
  await page.route("**/echo", async (route) => {
    received.push({ method: route.request().method(), headers: await route.request().allHeaders() })
    await route.fulfill({
      json: {},
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" },
    })
  })
  return () => page.context().close()
})

describe("fetch", () => {
  test("sends what a request in the place of its options says", async () => {
    await page.evaluate(() => fetch("/echo", new Request("/other", { method: "DELETE", headers: { "x-a": "1" } })))
    expect(received).toMatchObject([{ method: "DELETE", headers: { "x-a": "1" } }])
  })

  test.each([
    ["no referrer policy", { referrerPolicy: "no-referrer" }],
    ["no referrer", { referrer: "" }],
  ] as const)("names no page where a request asks for %s", async (_, options) => {
    await page.evaluate((init) => fetch(new Request("/echo", init)), options)
    expect(received).toHaveLength(1)
    expect(received[0]!.headers).not.toHaveProperty("referer")
    expect(received[0]!.headers["traceparent"]).toBeDefined()
  })

  test("sends the request of another window to another origin with its headers, and without the trace", async () => {
    await page.evaluate((url) => {
      const frame = document.body.appendChild(document.createElement("iframe"))
      const { Request: Theirs } = frame.contentWindow as Window & typeof globalThis
      return fetch(new Theirs(url, { headers: { "x-a": "1" } }))
    }, `${ELSEWHERE}/echo`)
    const { headers } = received.find(({ method }) => method === "GET")!
    expect(headers["x-a"]).toBe("1")
    expect(headers["traceparent"]).toBeUndefined()
  })

  test("that fails without a listener is an unhandled rejection, once", async () => {
    const events = await page.evaluate(async () => {
      let events = 0
      addEventListener("unhandledrejection", () => (events += 1))
      void fetch("http://127.0.0.1:1/")
      await fetch("http://127.0.0.1:1/").catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 500))
      return events
    })
    expect(events).toBe(1)
  })
})

test("a span without a name is started as without Pagespan: nothing is thrown", async () => {
  const thrown = await page.evaluate(() => {
    // Where OpenTelemetry's API registers what implements it.
    const api = (globalThis as unknown as Record<symbol, { trace: Pick<TracerProvider, "getTracer"> }>)[
      Symbol.for("opentelemetry.js.api.1")
    ]
    try {
      api?.trace
        .getTracer("app")
        .startSpan(undefined as never)
        .end()
      if (api === undefined) return "no API"
    } catch (error) {
      return String(error)
    }
    return "nothing"
  })
  expect(thrown).toBe("nothing")
})

test("an XMLHttpRequest that a page sends a hundred times has the listeners of one request", async () => {
  const most = await page.evaluate(async () => {
    const xhr = new XMLHttpRequest()
    const own = new Set<unknown>()
    let [count, most] = [0, 0]
    const { addEventListener, removeEventListener } = xhr
    xhr.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      most = Math.max(most, ++count)
      own.add(args[1])
      addEventListener.apply(xhr, args)
    }
    xhr.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      if (own.has(args[1])) count -= 1
      removeEventListener.apply(xhr, args)
    }
    for (let index = 0; index < 100; index++)
      await new Promise((resolve) => {
        xhr.open("GET", "/echo")
        xhr.onloadend = resolve
        xhr.send()
      })
    return most
  })
  expect(received).toHaveLength(100)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(10)
})

test("the type of an error is its class, also of a DOMException, whose code is a number", async () => {
  await page.evaluate(() => reportError(new DOMException("no space is left", "QuotaExceededError")))
  const recordedError = () =>
    pageSpans(recorded.collector)
      .flatMap((span) => span["events"] ?? [])
      .find((event) => JSON.stringify(event).includes("no space is left"))
  const event = await waitFor("the error", recordedError)
  expect(JSON.stringify(event)).toContain('{"key":"exception.type","value":{"stringValue":"QuotaExceededError"}}')
})
