import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { buildPackage } from "#otel/cli/package/build.ts"
import { Journal } from "#otel/inspector/ingest/journal/journal.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { removeDirectory, temporaryDirectory } from "../inspector/store/directories.ts"
import { openTestStore } from "../inspector/store/test-store.ts"
import { highestMiB, processTree } from "./ingest/process-figures.ts"
import { untilDrained } from "./ingest/sustained.ts"
import { percentile } from "./percentile.ts"
import {
  addAttachments,
  copyMillion,
  MILLION,
  MILLION_MS,
  sizeOf,
  untilMerged,
  withEngine,
} from "./store/fill-store.ts"
import { SPANS_A_TRACE, syntheticTraces } from "./synthetic-traces.ts"

/**
 * Measures a start of the inspector on much data: 10 GB in the store (`--gigabytes 10`), then the same with a full journal
 * of 512 MB, as after an outage of the store. Needs twice that space on the disk of the temporary directory. With
 * `--directory` it continues with, and leaves, what is there.
 *
 *     npm run bench:start
 */

const BATCH_SPANS = 20_000
const REPETITIONS = 10
/** Of the store, four million spans take half a gigabyte: the rest are attachments. */
const MILLIONS = 4
/** The days over which the attachments are spread. */
const DAYS = 10
const DAY_MS = 86_400_000
const RETENTION_DAYS = 60
/** The start does not wait for all merges of the attachments: in use it would not either. */
const MERGE_SECONDS = 20
/** How long the backlog of a full journal may take. */
const LIMIT_MS = 1_800_000

const { values } = parseArgs({
  options: { gigabytes: { type: "string", default: "10" }, directory: { type: "string" } },
})
const wantedBytes = Number(values.gigabytes) * 1e9
await buildPackage(process.cwd())
const dataDirectory = values.directory ?? temporaryDirectory()
/** The inspector's directory of the store. */
const storeDirectory = join(dataDirectory, "store")
const end = Date.now()
/** The size alone limits the store. */
const environment = {
  PAGESPAN_SELF: "off",
  PAGESPAN_DATA: dataDirectory,
  PAGESPAN_RETENTION: `${RETENTION_DAYS}d,40GB`,
}

try {
  await fillStore()
  console.table([await start("first start"), await start("once more")])
  const backlog = await fillJournal()
  console.table([await start(`the same, and ${backlog} spans in a full journal`)])
  console.log(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
} finally {
  if (values.directory === undefined) removeDirectory(dataDirectory)
}

/** A million spans through the store, copies of them, and attachments until it has the size. Continues where an earlier run ended. */
async function fillStore(): Promise<void> {
  if (!existsSync(join(storeDirectory, "clickhouse"))) {
    const store = openTestStore(
      { dataDirectory: storeDirectory },
      { retentionMs: RETENTION_DAYS * DAY_MS, maxBytes: 4 * wantedBytes },
    )
    await store.ready()
    let number = 0
    for (const batch of syntheticTraces(MILLION / SPANS_A_TRACE, end - MILLION_MS, MILLION_MS, BATCH_SPANS))
      await store.insertSpans(batch, `bench ${number++}`)
    await store.close()
  }
  await withEngine(storeDirectory, async (client) => {
    const { spans, lastMs } = await sizeOf(client)
    for (let millions = Math.max(1, Math.floor(spans / MILLION)); millions < MILLIONS; millions += 1)
      await copyMillion(client, millions, lastMs + 1)
    for (let number = 0; (await sizeOf(client)).bytes < wantedBytes; number += 1)
      // While the engine merges large parts, it may have no memory left. The inspector tries again as well.
      await addAttachments(client, lastMs - (number % DAYS) * DAY_MS).catch(async (error: unknown) => {
        console.log(String(error).slice(0, 60))
        await setTimeout(2_000)
      })
    await untilMerged(client, MERGE_SECONDS)
    const filled = await sizeOf(client)
    console.log(
      `the store has ${(filled.bytes / 1e9).toFixed(1)} GB in ${(filled.spans / MILLION).toFixed(0)} million spans`,
    )
  })
}

/** Fills the journal as an outage of the store does. Returns the number of spans in it. */
async function fillJournal(): Promise<number> {
  const directory = join(dataDirectory, "journal")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const journal = new Journal({ directory, maxBytes: 512e6, onReplay: () => undefined })
  let spans = 0
  for (const batch of syntheticTraces(1e9, end, MILLION_MS, 500)) {
    const { ok } = await journal.append(recordBatch({ spans: batch }))
    if (!ok) break
    spans += batch.length
  }
  await journal.close()
  const bytes = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  console.log(`the journal has ${(bytes / 1e6).toFixed(0)} MB`)
  return spans
}

interface Line {
  readonly what: string
  /** Until the address is printed, until the first trace list is answered, and until nothing waits in the journal. */
  readonly address: string
  readonly firstList: string
  readonly firstScreen: string
  readonly listP50: string
  readonly journalEmpty: string
  readonly server: string
  readonly store: string
}

/** Starts the inspector, and reads the list as soon as it is there. */
async function start(what: string): Promise<Line> {
  const startedAt = performance.now()
  const since = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
  const app = await RunningApp.launch(environment)
  try {
    await waitFor("the address", () => app.output.includes("Pagespan is on "), LIMIT_MS)
    const address = since()
    await waitFor("the list", async () => (await fetch(`${app.url}/api/traces?limit=50`)).ok, LIMIT_MS)
    const firstList = since()
    await (await fetch(`${app.url}/traces`)).text()
    const firstScreen = since()
    const times: number[] = []
    for (let count = 0; count < REPETITIONS; count += 1) {
      const began = performance.now()
      await (await fetch(`${app.url}/api/traces?limit=50`)).text()
      times.push(performance.now() - began)
    }
    await untilDrained(app, LIMIT_MS)
    const listP50 = `${percentile(times, 0.5).toFixed(0)} ms`
    return { what, address, firstList, firstScreen, listP50, journalEmpty: since(), ...memoryOf(app.pid) }
  } finally {
    await app.stop()
  }
}

/** Highest resident memory of the server and of the store's process. */
function memoryOf(pid: number): Pick<Line, "server" | "store"> {
  const [server, store] = processTree(pid).map((each) => `${highestMiB(each)} MiB`)
  return { server: server ?? "", store: store ?? "" }
}
