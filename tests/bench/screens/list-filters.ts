import { join } from "node:path"
import { openTestStore } from "#tests/inspector/store/test-store.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { removeDirectory, temporaryDirectory } from "../../inspector/store/directories.ts"
import { percentile } from "../percentile.ts"
import { SPANS_A_TRACE, syntheticTraces } from "../synthetic-traces.ts"
import { type Bench, freshPage, type Line, median, milliseconds, type Scenario } from "./scenario.ts"

/** Times of the trace list over a million stored spans, by filter: of the read API, and until the rows are painted. */

const SPANS = 1_000_000
const BATCH_SPANS = 2_000
const LENGTH_MS = 6 * 3_600_000

const REPETITIONS = 9
const LOADS = 3

const QUESTIONS = [
  "",
  "service:web",
  "status:error",
  "duration>100ms",
  "http.status_code:5xx",
  "route:/shop/section-1/*",
  "{service:checkout http.status_code:5xx}",
  "chrome/117",
  "service:checkout http.status_code>=500 -name:section-1",
  "request.id:none-has-this",
] as const

export const listFilters: Scenario = async ({ browser }) => {
  const directory = temporaryDirectory()
  await fill(directory)
  const app = await RunningApp.start({ PAGESPAN_DATA: directory })
  try {
    return await measure({ app, browser, spans: [] })
  } finally {
    await app.stop()
    removeDirectory(directory)
  }
}

async function fill(directory: string): Promise<void> {
  const store = openTestStore({ dataDirectory: join(directory, "store") }, { retentionMs: 7 * 86_400_000 })
  await store.ready()
  let batch = 0
  for (const records of syntheticTraces(SPANS / SPANS_A_TRACE, Date.now() - LENGTH_MS, LENGTH_MS, BATCH_SPANS))
    await store.insertSpans(records, `bench ${batch++}`)
  await store.close()
}

async function measure(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = []
  // Warms the server up.
  await firstRow(bench, "/traces")
  for (const question of QUESTIONS) {
    const parameters = new URLSearchParams(question === "" ? {} : { q: question })
    const answers = await times(REPETITIONS, () => answer(`${bench.app.url}/api/traces?${parameters}`))
    const rows = await times(LOADS, () => firstRow(bench, `/traces?${parameters}`))
    lines.push({
      filter: question || "none",
      "list p50": milliseconds(median(answers)),
      "list p95": milliseconds(percentile(answers, 0.95)),
      "first row on screen": milliseconds(median(rows)),
    })
  }
  return lines
}

async function answer(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url)
  await response.arrayBuffer()
  return performance.now() - start
}

/**
 * Time from the navigation to the frame that paints a row, or the message that there is none. The page measures it, since a
 * query from outside would wait for the page's thread.
 */
async function firstRow(bench: Bench, path: string): Promise<number> {
  const page = await freshPage(bench)
  await page.addInitScript(() => {
    const globals = globalThis as { firstRowMs?: Promise<number> }
    globals.firstRowMs = new Promise((resolve) => {
      const isThere = () =>
        document.querySelector("tr[data-row] th a") !== null || document.body?.innerText.includes("No trace matches")
      const watch = new MutationObserver(() => {
        if (!isThere()) return
        watch.disconnect()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      })
      watch.observe(document, { childList: true, subtree: true })
    })
  })
  await page.goto(`${bench.app.url}${path}`, { waitUntil: "commit" })
  const ms = await page.evaluate(() => (globalThis as { firstRowMs?: Promise<number> }).firstRowMs ?? 0)
  await page.context().close()
  return ms
}

async function times(repetitions: number, measureOne: () => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) all.push(await measureOne())
  return all
}
