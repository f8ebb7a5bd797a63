import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { listen } from "#otel/cli/server/listen.ts"
import { createRouter } from "#otel/cli/server/router.ts"
import { readConfig } from "#otel/inspector/config.ts"
import { createInspector } from "#otel/inspector/inspector.ts"
import { otlpLoad } from "./ingest/loads.ts"
import { sendLoad } from "./ingest/send.ts"
import { recordPath, reportDirectory } from "./path/recorder.ts"

/**
 * Lists the files of ours that run for one warm `POST /v1/traces`, from the socket to the stored row, in all processes and
 * threads: `npm run bench:path`. A file counts if a function of it ran, by V8's precise coverage. What ran at the start of the
 * inspector, or for an earlier request alone, does not count.
 */
const WARM_REQUESTS = 200
/** The batcher waits for half a second. */
const STORED_MS = 3_000

const dataDirectory = await mkdtemp(join(tmpdir(), "pagespan-path-data-"))
const reports = reportDirectory(process.pid)
recordPath("server", process.pid)
const config = readConfig({ PAGESPAN_DATA: dataDirectory, PAGESPAN_SELF: "off" })
const inspector = createInspector(config, {
  storeProcess: join(import.meta.dirname, "path/store-process.ts"),
  storeWriter: join(import.meta.dirname, "path/store-writer.ts"),
})
const server = await listen(
  "127.0.0.1",
  0,
  createRouter(inspector, () => undefined),
)
try {
  await inspector.store.ready()
  const url = `http://127.0.0.1:${server.port}`
  const load = otlpLoad({ encoding: "protobuf", spans: 20, spansPerTrace: 20 })
  await sendLoad(url, load, { senders: 1, requests: WARM_REQUESTS })
  await delay(STORED_MS)
  await mark("start", ".started")
  await sendLoad(url, load, { senders: 1, requests: 1, first: WARM_REQUESTS })
  await delay(STORED_MS)
  await mark("stop", ".json")
  print()
} finally {
  await server.close()
  await inspector.close()
  await rm(dataDirectory, { recursive: true, force: true })
  rmSync(reports, { recursive: true, force: true })
}

/** Sets a mark, and waits until server, writer thread and store process have seen it. */
async function mark(name: string, suffix: string): Promise<void> {
  writeFileSync(join(reports, name), "")
  while (readdirSync(reports).filter((file) => file.endsWith(suffix)).length < 3) await delay(20)
  // A report may still be written.
  await delay(200)
}

function print(): void {
  const partsOf = new Map<string, string[]>()
  for (const file of readdirSync(reports).filter((each) => each.endsWith(".json")))
    for (const url of JSON.parse(readFileSync(join(reports, file), "utf8")) as string[]) {
      const path = url.startsWith("file:") ? relative(process.cwd(), fileURLToPath(url)) : ""
      if (!path.startsWith("otel/") || !existsSync(path)) continue
      partsOf.set(path, [...(partsOf.get(path) ?? []), file.replace(".json", "")])
    }
  const rows = [...partsOf].toSorted(([a], [b]) => a.localeCompare(b))
  for (const [path, parts] of rows) console.log(`${path}  (${parts.toSorted().join(", ")})`)
  console.log(`${rows.length} files`)
}
