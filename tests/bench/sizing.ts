import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { secret } from "#otel/protocol/secret.ts"
import { removeDirectory, temporaryDirectory } from "../inspector/store/directories.ts"
import { clientOf, forkStore, portOf, stop, TOKEN } from "../inspector/store/process/processes.ts"
import { openTestStore } from "../inspector/store/test-store.ts"
import { setup } from "../support/build-inspector.ts"
import { cpuSeconds } from "./ingest/process-figures.ts"
import { type SizingFigures, SIZING_PAGE, sizingPage } from "./sizing/sizing-page.ts"
import { untilMerged } from "./store/fill-store.ts"
import { SPANS_A_TRACE, syntheticTraces } from "./synthetic-traces.ts"

/**
 * `npm run bench:sizing`: inserts spans as into your own ClickHouse, measures rows, bytes, merges, CPU time and memory, and
 * writes the sizing guide. `--spans 1000000` is the default.
 */

const { values } = parseArgs({ options: { spans: { type: "string", default: "1000000" } } })
const BATCH_SPANS = 20_000
const DAY_MS = 86_400_000

interface Row {
  readonly name: string
  readonly rows: string
  readonly bytes: string
}

await setup()
const directory = temporaryDirectory()
const child = forkStore()
const pid = child.pid ?? -1
const port = await portOf(child, join(directory, "clickhouse"))
const client = clientOf(port)
const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
const store = openTestStore({ url }, { retentionMs: 30 * DAY_MS })
try {
  await store.ready()
  const cpuBefore = cpuSeconds(pid)
  let spans = 0
  let batches = 0
  const traces = Number(values.spans) / SPANS_A_TRACE
  for (const batch of syntheticTraces(traces, Date.now() - DAY_MS / 4, DAY_MS / 4, BATCH_SPANS)) {
    await store.insertSpans(batch, `batch ${batches++}`)
    spans += batch.length
  }
  await untilMerged(client)
  const tables = await tablesOf()
  const [{ engine = "" } = {}] = await select<{ engine: string }>("SELECT concat('ClickHouse ', version()) AS engine")
  const figures: SizingFigures = {
    measuredOn: `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, load average ${loadavg()[1]?.toFixed(0)}`,
    engine,
    spans,
    batchSpans: BATCH_SPANS,
    tables,
    ...(await mergesOf()),
    cpuSeconds: cpuSeconds(pid) - cpuBefore,
    storeMemoryBytes: largestMemory(pid),
  }
  writeFileSync(SIZING_PAGE, sizingPage(figures))
  console.log(sizingPage(figures))
} finally {
  await store.close()
  await client.close()
  await stop(child)
  removeDirectory(directory)
}

async function select<Result>(query: string): Promise<Result[]> {
  return (await client.query({ query, format: "JSONEachRow" })).json<Result>()
}

/** Largest first. */
async function tablesOf(): Promise<SizingFigures["tables"]> {
  const rows =
    await select<Row>(`SELECT table AS name, toString(sum(rows)) AS rows, toString(sum(bytes_on_disk)) AS bytes
    FROM system.parts WHERE active AND database = currentDatabase() AND table NOT IN ('pagespan_migrations')
    GROUP BY table ORDER BY sum(bytes_on_disk) DESC`)
  return rows.map(({ name, ...counts }) => ({ name, rows: Number(counts.rows), bytes: Number(counts.bytes) }))
}

async function mergesOf(): Promise<Pick<SizingFigures, "insertedRows" | "mergedRows">> {
  const events = await select<{ event: string; value: string }>(
    "SELECT event, toString(value) AS value FROM system.events WHERE event IN ('InsertedRows', 'MergedRows')",
  )
  const value = (name: string) => Number(events.find(({ event }) => event === name)?.value ?? 0)
  return { insertedRows: value("InsertedRows"), mergedRows: value("MergedRows") }
}

/** The largest resident memory of a process so far. */
function largestMemory(of: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${of}/status`, "utf8")) ?? []
  return Number(kibibytes) * 1_024
}
