import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SETTINGS_MEDIA_TYPE } from "#otel/sdk/page-settings.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type Build, PLAIN, WEBPACK } from "./cases/builds.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { endRoot, open, rootsOf } from "./visit.ts"

interface Case {
  readonly build: Build
  /** A URL that the app itself redirects, and its destination. */
  readonly redirected: string
  readonly to: string
  readonly tunnel: string
}

const CASES: readonly Case[] = [
  { build: PLAIN, redirected: "/static/", to: "/static", tunnel: "/monitoring" },
  { build: WEBPACK, redirected: "/app/static", to: "/app/static/", tunnel: "/app/monitoring/" },
]

describe.each(CASES)("an app $build.what", ({ build, redirected, to, tunnel }) => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("routes", { variant: build.variant })
  })

  afterAll(() => recorded?.stop())

  test("redirects URLs of the other form, as without Pagespan", async () => {
    const answer = await fetch(`${recorded.app.origin}${redirected}`, { redirect: "manual" })
    expect([answer.status, answer.headers.get("location")]).toEqual([308, to])
    expect((await fetch(`${recorded.app.origin}${to}`, { redirect: "manual" })).status).toBe(200)
  })

  test("accepts envelopes and spans of its pages in the tunnel without a redirect", async () => {
    const { app, browser, collector, sentry } = recorded
    const page = await (await browser.newContext()).newPage()
    const posted = new Set<string>()
    page.on("response", (response) => {
      const request = response.request()
      // A static page also asks the tunnel for its settings, which have a body.
      if (request.method() === "POST" && request.headers()["content-type"] !== SETTINGS_MEDIA_TYPE)
        posted.add(`${new URL(response.url()).pathname} ${response.status()}`)
    })
    await open(page, `${app.origin}${to}`)
    await endRoot(page)
    await waitFor("a response of the tunnel", () => posted.size > 0)
    const [root] = await rootsOf(page, sentry, 1)
    expect(root?.["transaction"]).toBe("/static")
    await waitFor("the page's spans", () =>
      collector.requests.some(({ body }) => body.toString().includes('-browser"')),
    )
    expect([...posted]).toEqual([`${tunnel} 204`])
  })
})
