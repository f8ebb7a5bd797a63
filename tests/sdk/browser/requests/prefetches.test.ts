import { afterAll, beforeAll, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { CACHED } from "../cases/builds.ts"
import { attributesOf, childrenOf, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, isIdle, isRoot, rootsOf, shows, storyOf, visit } from "../visit.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  // This build has `recordPrefetches`.
  recorded = await startRecordedApp("routes", { variant: CACHED.variant })
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())

test("recorded prefetches are marked children of the root, which does not wait for them, and start no other root", async () => {
  // The first render of a page on a server takes longer than the root waits. The root would end the open prefetches.
  for (const path of ["/prefetching", "/items/77"])
    for (const headers of [{}, { rsc: "1", "next-router-prefetch": "1" }])
      await (await fetch(`${app.origin}${path}`, { headers })).arrayBuffer()
  sentry.clear()
  const page = await visit(browser, `${app.origin}/prefetching`)
  const root = await sentry.waitForTransaction("pageload", ({ transaction }) => transaction === "/prefetching")
  const { trace_id, span_id, data } = root["contexts"].trace
  const isPrefetch = (span: Payload) => span["data"]["http.request.prefetch"] === true
  const prefetches = childrenOf(root).filter(isPrefetch)
  expect(prefetches.length).toBeGreaterThan(0)
  for (const prefetch of prefetches)
    expect(prefetch).toMatchObject({
      description: "PREFETCH /items/[id]",
      op: "http.client",
      parent_span_id: span_id,
      data: { "url.full": `${app.origin}/items/77`, "http.request.method": "GET", "http.response.status_code": 200 },
    })
  expect(data["pagespan.end_reason"]).toBe("idle_timeout")
  const atCollector = await waitFor("the same at the collector", () => {
    const spans = pageSpans(collector).filter((span) => span["traceId"] === trace_id)
    return spans.some(({ spanId }) => spanId === span_id) && spans
  })
  const marked = atCollector.filter((span) => attributesOf(span)["http.request.prefetch"] === true)
  expect(marked.map(({ spanId }) => spanId).sort()).toEqual(prefetches.map(({ span_id }) => span_id).sort())
  // The root ends with something that the visitor waited for: a child, or the commit, which the prefetches follow.
  const awaited = childrenOf(root).filter((span) => !isPrefetch(span) && !span["op"].startsWith("ui.webvital."))
  const prefetchedAt = Math.min(...marked.map(({ startTimeUnixNano }) => Number(startTimeUnixNano) / 1e9))
  const isAwaited = awaited.some(({ timestamp }) => timestamp === root["timestamp"])
  expect(isAwaited || root["timestamp"] <= prefetchedAt + 1e-6).toBe(true)
  // A prefetch after the end of the root makes no span.
  await page.evaluate(() => fetch("/items/78", { headers: { rsc: "1", "next-router-prefetch": "1" } }))
  await endRoot(page)
  await page.context().close()
  expect(sentry.transactions().filter(isRoot)).toHaveLength(1)
  const ofPages = sentry.transactions().filter(({ platform }) => platform === "javascript")
  expect(JSON.stringify(ofPages)).not.toContain("/items/78")
})

test("a link to a page that Next prefetches in part is one navigation, named by its route", async () => {
  sentry.clear()
  const page = await visit(browser, `${app.origin}/partial`)
  await isIdle(page)
  await page.getByRole("link", { name: "a page that is prefetched in part" }).click()
  await shows(page, "part 1")
  expect(storyOf(await rootsOf(page, sentry, 2))).toEqual(["pageload /partial", "navigation /partial/[id] by push"])
})
