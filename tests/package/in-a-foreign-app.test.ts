import { cpSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { ForeignApp } from "./foreign-app.ts"

const NEXT_APP = ["next", "react", "react-dom", "typescript", "@types/node", "@types/react", "@types/react-dom"]

let browser: Browser
let collector: RecordingCollector

beforeAll(async () => {
  browser = await launchChromium()
  collector = await new RecordingCollector().listen()
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await collector?.close()
})

describe("a fresh app with src/, basePath, cacheComponents and standalone output, without Sentry", () => {
  let app: ForeignApp
  let origin: string

  beforeAll(async () => {
    app = await ForeignApp.create("fresh", NEXT_APP)
    await app.run("next", ["build"], { NODE_ENV: "production" })
    const standalone = join(app.directory, ".next/standalone")
    cpSync(join(app.directory, ".next/static"), join(standalone, ".next/static"), { recursive: true })
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    app.spawn("node", [join(standalone, "server.js")], {
      NODE_ENV: "production",
      HOSTNAME: "127.0.0.1",
      PORT: String(port),
      SENTRY_DSN: "https://key@sentry.invalid/1",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    })
    await app.answers(`${origin}/shop`)
  }, 240_000)

  afterAll(() => app?.remove())

  test("sends its page's and its server's spans of one trace to the collector, named by their routes", async () => {
    const page = await browser.newPage()
    await page.goto(`${origin}/shop`)
    await page.getByRole("link", { name: "Seventh item" }).click()
    await page.getByRole("heading", { name: "Item 7" }).waitFor()
    const pageload = await collector.waitForSpan(
      "of the page load",
      ({ name, parentSpanId }) => name === "/" && parentSpanId === undefined,
    )
    expect(pageload.resource.attributes.get("service.name")).toBe("shop-browser")
    const navigation = await collector.waitForSpan("of the navigation", ({ name }) => name === "/items/[id]", 20_000)
    await collector.waitForSpan(
      "of the navigation's request",
      ({ traceId, resource, attributes }) =>
        traceId === navigation.traceId &&
        resource.attributes.get("service.name") === "shop" &&
        attributes.get("http.route") === "/items/[id]",
    )
    await page.close()
  })

  test("says in one line of its log that Sentry is not installed, and tells pages of no DSN", async () => {
    const lines = app.output.split("\n").filter((line) => line.includes("pagespan:"))
    expect(lines).toEqual([
      "pagespan: SENTRY_DSN is set and @sentry/nextjs is not installed: spans go by OTLP only. Install @sentry/nextjs 10.78 or 11.",
    ])
    const answer = await fetch(`${origin}/shop/items/7`)
    expect(await answer.text()).not.toContain("sentry.invalid")
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no free port")
  return address.port
}
