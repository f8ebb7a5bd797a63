import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, visit } from "../visit.ts"

/** Requests to the page's own server, which redirects them to another origin: a signed address of a store of files, for example. */

let recorded: RecordedApp
let page: Page
let store: Server
let storeOrigin: string
/** What the store received. */
let received: { readonly method: string; readonly headers: IncomingHttpHeaders }[]

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  // Lets every page read its files, and allows no header of theirs.
  store = createServer(({ method = "", headers }, response) => {
    received.push({ method, headers })
    response.setHeader("access-control-allow-origin", "*").end("the file")
  })
  await new Promise<void>((listening) => store.listen(0, "127.0.0.1", listening))
  storeOrigin = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
})
afterAll(async () => {
  store?.closeAllConnections()
  store?.close()
  await recorded?.stop()
})

beforeEach(async () => {
  received = []
  recorded.collector.clear()
  page = await visit(recorded.browser, `${recorded.app.origin}/items/1`)
  await isIdle(page)
  return () => page.context().close()
})

/** What the page gets. */
const asks = {
  fetch: (url: string) =>
    page.evaluate(
      (url) =>
        fetch(url).then(
          (response) => response.text(),
          (error: Error) => error.name,
        ),
      url,
    ),
  XMLHttpRequest: (url: string) =>
    page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const xhr = new XMLHttpRequest()
          xhr.open("GET", url)
          xhr.onload = () => resolve(xhr.responseText)
          xhr.onerror = () => resolve("TypeError")
          xhr.send()
        }),
      url,
    ),
}

/** The span of a request to that path. */
const spanOf = (path: string) =>
  waitFor("the span", () =>
    pageSpans(recorded.collector).find((span) => attributesOf(span)["url.full"] === `${recorded.app.origin}${path}`),
  )

describe.each(["fetch", "XMLHttpRequest"] as const)("%s", (how) => {
  test("to a path with trace headers, which is redirected to another origin, needs a preflight there", async () => {
    expect(await asks[how](`/api/download/traced?to=${storeOrigin}`)).toBe("TypeError")
    expect(received.map(({ method }) => method)).toEqual(["OPTIONS"])
    expect(received[0]!.headers["access-control-request-headers"]).toContain("traceparent")
  })

  test("to a path without trace headers arrives as without Pagespan, and has a span", async () => {
    expect(await asks[how](`/api/download/plain?to=${storeOrigin}`)).toBe("the file")
    expect(received.map(({ method }) => method)).toEqual(["GET"])
    for (const name of ["traceparent", "sentry-trace", "baggage"]) expect(received[0]!.headers).not.toHaveProperty(name)
    const span = await spanOf("/api/download/plain")
    expect(span["name"]).toBe("GET /api/download/[how]")
    expect(attributesOf(span)["http.response.status_code"]).toBe(200)
  })

  test("to any other path has trace headers", async () => {
    expect(JSON.parse(await asks[how]("/api/things/7"))).toMatchObject({
      traceparent: expect.stringMatching(/^00-/),
      sentryTrace: expect.any(String),
    })
  })
})
