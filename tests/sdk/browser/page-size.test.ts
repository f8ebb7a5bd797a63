import { gzipSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"

/** In kB of 1,000 bytes after `gzip -9`, more than the same app without Pagespan. */
const FIRST_LOAD_BUDGET_KB = 18.7
const ALL_BUDGET_KB = 53.6

interface Loaded {
  /** The scripts in the HTML. */
  readonly first: number
  /** All scripts that the page loads. */
  readonly all: number
}

let browser: Browser
let sentry: RecordingSentry
const apps: AppUnderTest[] = []

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
})

afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()))
  await browser?.close()
  await sentry?.close()
})

async function measure(name: string): Promise<Loaded> {
  const app = await startApp(name, { environment: { SENTRY_DSN: sentry.dsn } })
  apps.push(app)
  const html = await (await fetch(`${app.origin}/`)).text()
  const page = await browser.newPage()
  const sizes = new Map<string, Promise<number>>()
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return
    const { pathname } = new URL(response.url())
    sizes.set(
      pathname,
      response.body().then((body) => gzipSync(body, { level: 9 }).length),
    )
  })
  await page.goto(app.origin, { waitUntil: "load" })
  // The Sentry client and the vitals load when the page is idle.
  await page.waitForTimeout(3_000)
  await page.close()
  let first = 0
  let all = 0
  for (const [path, size] of sizes) {
    all += await size
    if (html.includes(path)) first += await size
  }
  return { first: first / 1_000, all: all / 1_000 }
}

test("Pagespan adds at most 18.7 kB to the first load of an empty page, and 53.6 kB in all", async () => {
  const bare = await measure("bare")
  const traced = await measure("empty")
  const first = traced.first - bare.first
  const all = traced.all - bare.all
  console.info(`first load +${first.toFixed(3)} kB, in all +${all.toFixed(3)} kB over ${bare.all.toFixed(1)} kB`)
  // The Sentry client and the vitals were loaded.
  expect(all).toBeGreaterThan(first + 20)
  expect(first).toBeLessThanOrEqual(FIRST_LOAD_BUDGET_KB)
  expect(all).toBeLessThanOrEqual(ALL_BUDGET_KB)
})
