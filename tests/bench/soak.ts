import { buildPackage } from "#otel/cli/package/build.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { mixedLoad, otlpLoad, sentryLoad } from "./ingest/loads.ts"
import { measureSustained, untilDrained } from "./ingest/sustained.ts"
import { soakReport, type SoakWindow, windowLine, WINDOW_HEADER } from "./soak/report.ts"
import { Soak } from "./soak/soak.ts"

/**
 * Measures the highest sustained rate of ingest, then sends at half of it for two hours, reads like the screens meanwhile, and
 * prints a line a minute: latency of POSTs and reads, memory, handles, the queue and the disk. The store is so small that it soon
 * deletes its oldest records for their size, so that what it holds stops growing; from then on the first and the last quarter of
 * the time are compared: `npm run soak`. It fails if a request is refused, a record is missing, memory or handles grow, or the
 * store never reached its size.
 *
 * `PAGESPAN_SOAK_MINUTES` sets the time, `PAGESPAN_SOAK_STORE` the size of the store.
 */
const MINUTES = Number(process.env["PAGESPAN_SOAK_MINUTES"] ?? 120)
/** The store deletes the older half of a day that is too large, so that a quarter of two hours holds more than one of its cycles. */
const STORE_SIZE = process.env["PAGESPAN_SOAK_STORE"] ?? "48MB"
const HIGHEST_RATE_SECONDS = 60
const WINDOW_SECONDS = 60
/** The number of the first paced request, past those of the first measurement. */
const FIRST_PACED = 100_000_000

await buildPackage(process.cwd())
const app = await RunningApp.start({ PAGESPAN_SELF: "off", PAGESPAN_RETENTION: STORE_SIZE })
try {
  const highest = await measureSustained(app, newLoad(), HIGHEST_RATE_SECONDS, 0)
  const rate = highest.requestsPerSecond / 2
  console.log(
    `highest sustained rate ${highest.requestsPerSecond.toFixed(0)} requests/s of ${newLoad().spans} spans (${HIGHEST_RATE_SECONDS} s, drain of ${highest.drainSeconds.toFixed(1)} s counted)`,
  )
  console.log(`${newLoad().name}\n${rate.toFixed(0)} requests/s for ${MINUTES} minutes, a store of ${STORE_SIZE}\n`)
  console.log(WINDOW_HEADER)
  const soak = await Soak.start(app, newLoad, rate, FIRST_PACED)
  const windows: SoakWindow[] = []
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const window = await soak.window(WINDOW_SECONDS)
    windows.push(window)
    console.log(windowLine(minute, window))
  }
  await soak.stop()
  await untilDrained(app)
  const { text, failures } = soakReport(windows, await soak.missing())
  console.log(text)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await app.stop()
}

/** New templates, so that the spans have the time of their sending. */
function newLoad() {
  const small = { spans: 20, spansPerTrace: 20 }
  return mixedLoad([
    otlpLoad({ ...small, encoding: "protobuf" }),
    sentryLoad(),
    otlpLoad({ ...small, encoding: "json" }),
  ])
}
