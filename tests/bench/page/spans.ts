import type { Browser } from "playwright-core"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import type { SpanFigures } from "./contender.ts"
import { visit } from "./load.ts"
import { median } from "./statistics.ts"

const LOADS = 5
const ROUNDS = 15
/** By then the page has loaded its Sentry client, and sends to it. */
const CLIENT_LOADED_MS = 1_500

interface Bench {
  start(): void
  startSentry(dsn: string): void
  pagespanRound(): number
  sdkRound(): number
  sentryRound(): number
}

/** Drives the three tracers in turns in the same page, so that other load affects all of them alike. */
export async function measureSpans(browser: Browser, dsn: string): Promise<SpanFigures> {
  const app = await startApp("bench", { environment: { SENTRY_DSN: dsn } })
  try {
    const rounds: SpanFigures[] = []
    for (let load = 0; load < LOADS; load++) rounds.push(...(await roundsOfOneLoad(browser, app, dsn)))
    return {
      pagespan: median(rounds.map(({ pagespan }) => pagespan)),
      sdk: median(rounds.map(({ sdk }) => sdk)),
      sentry: median(rounds.map(({ sentry }) => sentry)),
    }
  } finally {
    await app.stop()
  }
}

function roundsOfOneLoad(browser: Browser, app: AppUnderTest, dsn: string): Promise<SpanFigures[]> {
  return visit(browser, async ({ page }) => {
    await page.goto(app.origin, { waitUntil: "load" })
    await page.waitForFunction(() => "bench" in window)
    await page.evaluate(() => (window as unknown as { bench: Bench }).bench.start())
    await page.waitForTimeout(CLIENT_LOADED_MS)
    await page.evaluate((url) => (window as unknown as { bench: Bench }).bench.startSentry(url), dsn)
    const rounds: SpanFigures[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(
        await page.evaluate(() => {
          const { bench } = window as unknown as { bench: Bench }
          return { pagespan: bench.pagespanRound(), sdk: bench.sdkRound(), sentry: bench.sentryRound() }
        }),
      )
    return rounds
  })
}
