import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { buildPackage } from "#otel/cli/package/build.ts"
import { launchWholeBrowser } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { idleScreens } from "./screens/idle-screens.ts"
import { largeTraces } from "./screens/large-traces.ts"
import { listBurst } from "./screens/list-burst.ts"
import { listFilters } from "./screens/list-filters.ts"
import { manyLogs } from "./screens/many-logs.ts"
import { paints } from "./screens/paints.ts"
import type { Line, Scenario } from "./screens/scenario.ts"

/**
 * Measures the screens in Chromium at 1440 × 900 with software rendering, on the built app with the real store.
 *
 *     npm run bench:screens -- --only trace --spans 10000,50000
 */

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  trace: largeTraces,
  logs: manyLogs,
  paint: paints,
  list: listFilters,
  burst: listBurst,
  idle: idleScreens,
}

/** Figures of other tools from August 2026, on two shared vCPUs with the same browser. This program does not measure them. */
const ANCHORS: readonly Line[] = [
  { what: "Jaeger UI 2.19, 10,000 spans", "first row": "1.5 s", select: "249 ms", rows: "8,300 elements" },
  { what: "Jaeger UI 2.19, 50,000 spans", "first row": "2.4 s", select: "236 ms", rows: "8,600 elements" },
  { what: "Jaeger UI 2.19, 200,000 spans", "first row": "7.1 s", select: "498 ms", rows: "8,600 elements" },
  { what: "otel-gui 2.1, 10,000 spans", "first row": "8.7 s", select: "1.8 s", rows: "120,000 elements" },
  { what: "Spotlight 4.11.8, 10,000 spans", "first row": "3.1 s, 1,009 rows of it", select: "", rows: "" },
  { what: "autotel-devtools 27.1, 10,000 spans", "first row": "over 150 s", select: "", rows: "" },
]

const { values } = parseArgs({
  options: { only: { type: "string" }, spans: { type: "string", default: "10000,50000,200000,1000000" } },
})
await buildPackage(process.cwd())
const app = await RunningApp.start()
const browser = await launchWholeBrowser()
try {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (values.only !== undefined && values.only !== name) continue
    console.table(await scenario({ app, browser, spans: values.spans.split(",").map(Number) }))
  }
  console.info("Stated by their own measurement, not run here:")
  console.table(ANCHORS)
  console.info(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
} finally {
  await browser.close()
  await app.stop()
}
