import { startApp } from "#tests/sdk/browser/app-under-test.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/**
 * What the page's tracer costs the main thread, in real Chromium, beside Sentry's own in the same page: a machine's
 * speed is not ours to promise, the ratio is. Run with `npm run bench:page`.
 */

const LOADS = 7
const ROUNDS = 15

interface Bench {
  start(): number
  startSentry(dsn: string): void
  pagespanRound(): number
  sdkRound(): number
  sentryRound(): number
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
const shown = (value: number) => value.toFixed(2)

const sentry = await new RecordingSentry().listen()
const browser = await launchChromium()
const app = await startApp("bench", { environment: { SENTRY_DSN: sentry.dsn } })
const starts: number[] = []
const ours: number[] = []
const theirs: number[] = []
const floor: number[] = []
try {
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(app.origin, { waitUntil: "load" })
    await page.waitForFunction(() => "bench" in window)
    starts.push(await page.evaluate(() => (window as unknown as { bench: Bench }).bench.start()))
    // The Sentry client of the page comes when it is idle; from then on all is forwarded.
    await page.waitForTimeout(1_500)
    await page.evaluate((dsn) => (window as unknown as { bench: Bench }).bench.startSentry(dsn), sentry.dsn)
    for (let round = 0; round < ROUNDS; round++) {
      // By turns, so that all meet the same weather.
      ours.push(await page.evaluate(() => (window as unknown as { bench: Bench }).bench.pagespanRound()))
      floor.push(await page.evaluate(() => (window as unknown as { bench: Bench }).bench.sdkRound()))
      theirs.push(await page.evaluate(() => (window as unknown as { bench: Bench }).bench.sentryRound()))
    }
    await context.close()
  }
} finally {
  await app.stop()
  await browser.close()
  await sentry.close()
}
console.info(`start of the tracer, cold:        ${shown(median(starts))} ms (of ${LOADS} loads)`)
console.info(`a span under an open root:        ${shown(median(ours))} µs`)
console.info(`the SDK alone, to nobody:         ${shown(median(floor))} µs`)
console.info(`Sentry's startInactiveSpan + end: ${shown(median(theirs))} µs`)
console.info(`ratio:                            ${shown(median(ours) / median(theirs))}`)
