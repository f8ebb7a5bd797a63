import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { build, type Rolldown } from "vite"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"

const ENTRY = join(import.meta.dirname, "../../../../otel/sdk/browser/development.ts")
const WARNING =
  "pagespan: no <RouteObserver/> in this root layout: routes of pages that are left early are guessed from URLs (npx pagespan init)"

let browser: Browser
let script: string

beforeAll(async () => {
  browser = await launchChromium()
  const built = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry: ENTRY, formats: ["iife"], name: "development" } },
  })
  const [{ output }] = built as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput]
  script = output[0].code
})

afterAll(() => browser?.close())

/** The warnings of such a page of `next dev` that has no observer. */
async function warningsOf(status: number, body: string): Promise<string[]> {
  const page = await browser.newPage()
  try {
    await serve(page, status, body)
    const said: string[] = []
    page.on("console", (message) => said.push(message.text()))
    await page.goto("http://app.test/")
    await page.evaluate(`(() => {
      const later = []
      const setTimeout = (work) => later.push(work)
      ${script}
      development.warnOfGaps()
      for (const work of later) work()
      console.warn("done")
    })()`)
    await expect.poll(() => said).toContain("done")
    return said.filter((line) => line.startsWith("pagespan: "))
  } finally {
    await page.close()
  }
}

const serve = (page: Page, status: number, body: string) =>
  page.route("http://app.test/", (route) => route.fulfill({ status, contentType: "text/html", body }))

const NEXTS_OWN = `<body><div><h1 class="next-error-h1">404</h1></div></body>`

describe("the console of next dev", () => {
  test("warns of a page without RouteObserver", async () => {
    expect(await warningsOf(200, "<body><main>Items</main></body>")).toEqual([WARNING])
  })

  test.each([
    ["Next's own 404 page", 404, NEXTS_OWN],
    ["Next's own 404 page, of a page that streams", 200, NEXTS_OWN],
    ["the app's global-not-found", 404, "<body><main>Nothing here</main></body>"],
    ["the app's global-error", 500, "<body><main>Something went wrong</main></body>"],
  ])("does not warn of %s, which is outside the root layout", async (_page, status, body) => {
    expect(await warningsOf(status, body)).toEqual([])
  })
})
