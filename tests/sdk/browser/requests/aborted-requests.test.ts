import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, type OtlpSpan, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, visit } from "../visit.ts"

/** Requests that the page itself gives up: an abort is its decision, a timeout is a failure. */

let recorded: RecordedApp
let page: Page

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  page = await visit(recorded.browser, `${recorded.app.origin}/items/1`)
  await page.route("**/api/things/held*", () => undefined)
  await isIdle(page)
})
afterAll(() => recorded?.stop())

/** The spans of requests to that path, in the order of their start. */
const spansOf = (path: string, count: number): Promise<OtlpSpan[]> =>
  waitFor(`the spans of ${path}`, () => {
    const url = `${recorded.app.origin}${path}`
    const found = pageSpans(recorded.collector).filter((span) => attributesOf(span)["url.full"] === url)
    return found.length === count && found.sort((a, b) => (a["startTimeUnixNano"] < b["startTimeUnixNano"] ? -1 : 1))
  })

/** Status of a span, and what it says about its failure and its response. */
const outcomeOf = (span: OtlpSpan | undefined) => {
  const { "error.type": error, "http.response.status_code": status } = attributesOf(span!)
  return { code: span!["status"].code, error, status: status === undefined ? undefined : Number(status) }
}
const ABORTED = { code: 0, error: "AbortError", status: undefined }
const LOADED = { code: 0, error: undefined, status: 200 }

describe("fetch", () => {
  test("an abort is no failure, whatever its reason is and whoever has its signal", async () => {
    const rejections = await page.evaluate(async () => {
      const reasons = [undefined, new Error("stale"), "unmounted", null, { name: "QueryCancelled" }]
      const rejected: unknown[] = []
      const aborts = (send: (signal: AbortSignal) => Promise<unknown>, reason: unknown) => {
        const controller = new AbortController()
        const sent = send(controller.signal).catch((error: unknown) => rejected.push((error as Error | null)?.name))
        controller.abort(reason)
        return sent
      }
      const url = "/api/things/held-fetch"
      for (const reason of reasons) await aborts((signal) => fetch(url, { signal }), reason)
      await aborts((signal) => fetch(new Request(url, { signal })), new Error("stale"))
      await aborts((signal) => fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) }), "stale")
      return rejected
    })
    expect(rejections).toEqual(["AbortError", "Error", undefined, undefined, "QueryCancelled", "Error", undefined])
    const spans = await spansOf("/api/things/held-fetch", 7)
    expect(spans.map(outcomeOf)).toEqual(Array.from({ length: 7 }, () => ABORTED))
  })

  test("a timeout and a request without an answer are failures", async () => {
    await page.route("**/api/things/broken", (route) => route.abort())
    await page.evaluate(async () => {
      const { signal } = new AbortController()
      await fetch("/api/things/held-timeout", { signal: AbortSignal.timeout(50) }).catch(() => undefined)
      await fetch("/api/things/broken", { signal }).catch(() => undefined)
    })
    const outcomes = []
    for (const path of ["/api/things/held-timeout", "/api/things/broken"])
      outcomes.push(...(await spansOf(path, 1)).map(outcomeOf))
    expect(outcomes).toEqual([
      { code: 2, error: "TimeoutError", status: undefined },
      { code: 2, error: "TypeError", status: undefined },
    ])
  })
})

describe("an XMLHttpRequest that is opened again", () => {
  test("while a request is in flight, aborts that one, and the next has its own outcome", async () => {
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const xhr = new XMLHttpRequest()
          xhr.onloadend = resolve
          for (const url of ["/api/things/held-xhr", "/api/things/opened-again"]) {
            xhr.open("GET", url)
            xhr.send()
          }
        }),
    )
    const [first] = await spansOf("/api/things/held-xhr", 1)
    const [second] = await spansOf("/api/things/opened-again", 1)
    expect([first, second].map(outcomeOf)).toEqual([ABORTED, LOADED])
    expect(Number(first!["endTimeUnixNano"])).toBeLessThanOrEqual(Number(second!["startTimeUnixNano"]) + 1e6)
  })

  test("as soon as a response is complete, has loaded it", async () => {
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const xhr = new XMLHttpRequest()
          let opened = 0
          const send = () => {
            xhr.open("GET", `/api/things/reused?page=${++opened}`)
            xhr.send()
          }
          xhr.onreadystatechange = () => {
            if (xhr.readyState < 4) return
            if (opened < 3) send()
            else resolve()
          }
          send()
        }),
    )
    expect((await spansOf("/api/things/reused", 3)).map(outcomeOf)).toEqual([LOADED, LOADED, LOADED])
  })
})
