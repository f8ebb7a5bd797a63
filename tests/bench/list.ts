import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build, isBuilt } from "#otel/command/build.ts"
import { openStore } from "#otel/store/index.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { removeDirectory, temporaryDirectory } from "../store/directories.ts"
import { listBurst } from "./screens/list-burst.ts"
import { listFilters } from "./screens/list-filters.ts"
import { SPANS_A_TRACE, syntheticTraces } from "./synthetic-traces.ts"

/**
 * The trace list at a million stored spans, and during a burst of 2,000 new traces, in real Chromium on the built app.
 *
 *     npx tsx tests/bench/list.ts --spans 1000000
 */

const BATCH_SPANS = 2_000
const LENGTH_MS = 6 * 3_600_000

const { values } = parseArgs({ options: { spans: { type: "string", default: "1000000" } } })
if (!isBuilt(process.cwd())) await build(process.cwd())
const directory = temporaryDirectory()
await fill(Number(values.spans))
const app = await RunningApp.start({ PAGESPAN_DATA: directory })
const browser = await launchChromium()
try {
  const bench = { app, browser, spans: [] }
  console.table(await listFilters(bench))
  console.table(await listBurst(bench))
  console.info(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
} finally {
  await browser.close()
  await app.stop()
  removeDirectory(directory)
}

async function fill(spans: number): Promise<void> {
  const store = openStore({ dataDirectory: join(directory, "store") }, { retentionMs: 7 * 86_400_000 })
  await store.ready()
  let batch = 0
  for (const records of syntheticTraces(spans / SPANS_A_TRACE, Date.now() - LENGTH_MS, LENGTH_MS, BATCH_SPANS))
    await store.insertSpans(records, `bench ${batch++}`)
  await store.close()
}
