import { startApp } from "#tests/sdk/browser/app-under-test.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/**
 * Measures the main-thread time of the page's tracer in Chromium, relative to Sentry's own tracer in the same page, since
 * absolute times depend on the machine. Run it with `npm run bench:page`.
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
    // The page loads its Sentry client when it is idle, and sends to it from then on.
    await page.waitForTimeout(1_500)
    await page.evaluate((dsn) => (window as unknown as { bench: Bench }).bench.startSentry(dsn), sentry.dsn)
    for (let round = 0; round < ROUNDS; round++) {
      // In turns, so that other load affects all of them alike.
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
