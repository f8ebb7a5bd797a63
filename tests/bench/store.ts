import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import type { ClickHouseClient } from "@clickhouse/client"
import { buildPackage } from "#otel/cli/package/build.ts"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { removeDirectory, temporaryDirectory } from "../inspector/store/directories.ts"
import { openTestStore, type TestStore } from "../inspector/store/test-store.ts"
import { copyMillion, MILLION, MILLION_MS, untilMerged, withEngine } from "./store/fill-store.ts"
import { largeTrace, SPANS_A_TRACE, syntheticTraces } from "./synthetic-traces.ts"

/**
 * Measures inserts and queries of the store at 1 and 10 million spans (`--million 1,10`).
 *
 *     npx tsx tests/bench/store.ts
 *
 * The first million is inserted in batches of 20,000, the size under load. The engine copies it with other times and ids for
 * the other millions, which takes minutes instead of a quarter of an hour.
 */

const BATCH_SPANS = 20_000
const REPETITIONS = 40
const LARGE_TRACE_SPANS = 20_000

interface Line {
  readonly what: string
  readonly spans: string
  readonly p50: string
  readonly p95: string
}

const { values } = parseArgs({ options: { million: { type: "string", default: "1,10" } } })
await buildPackage(process.cwd())
const sizes = values.million.split(",").map(Number)
const dataDirectory = temporaryDirectory()
const end = Date.now()
const lines: Line[] = []
try {
  lines.push(await withStore(fill))
  let millions = 1
  for (const size of sizes) {
    await withEngine(dataDirectory, async (client) => {
      for (; millions < size; millions++) await copyMillion(client, millions, end)
      await untilMerged(client)
      lines.push(await measureDisk(client, size))
    })
    lines.push(...(await withStore((store) => measureReads(store, size))))
  }
  console.table(lines)
  console.log(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
} finally {
  removeDirectory(dataDirectory)
}

/** Opens the embedded store as the app does. */
async function withStore<Answer>(work: (store: TestStore) => Promise<Answer>): Promise<Answer> {
  const store = openTestStore({ dataDirectory }, { retentionMs: 30 * 86_400_000 })
  try {
    await store.ready()
    return await work(store)
  } finally {
    await store.close()
  }
}

async function fill(store: TestStore): Promise<Line> {
  const batches = syntheticTraces(MILLION / SPANS_A_TRACE, end - MILLION_MS, MILLION_MS, BATCH_SPANS)
  const times: number[] = []
  let number = 0
  for (const batch of batches) {
    const start = performance.now()
    await store.insertSpans(batch, `bench ${number++}`)
    times.push(performance.now() - start)
  }
  await store.insertSpans(largeTrace(LARGE_TRACE_SPANS, end - 60_000), "large")
  const total = times.reduce((sum, time) => sum + time, 0)
  return line(`insert of ${BATCH_SPANS}: ${Math.round((MILLION / total) * 1_000)} spans/s`, 1, times)
}

async function measureReads(store: TestStore, size: number): Promise<Line[]> {
  const since = BigInt(end - 1_800_000) * 1_000_000n
  const page = { limit: 50 }
  const first = await store.listTraces(page)
  const deep = await walk(store, 20)
  const ids = (await store.listTraces({ limit: 1_000, after: deep })).traces.map(({ traceId }) => traceId)
  const large = largeTrace(1, end - 60_000)[0]!.traceId
  let next = 0
  return [
    line("list of 50", size, await time(() => store.listTraces(page))),
    line("list of 50, second page", size, await time(() => store.listTraces({ ...page, after: first.next }))),
    line("list of 50, page 20", size, await time(() => store.listTraces({ ...page, after: deep }))),
    line(
      "list of 50, service of 1 in 4 spans",
      size,
      await time(() => store.listTraces({ ...page, service: "checkout" })),
    ),
    line(
      "list of 50, service in 1 of 500 traces",
      size,
      await time(() => store.listTraces({ ...page, service: "rare" })),
    ),
    line(
      "list of 50, service that is not there",
      size,
      await time(() => store.listTraces({ ...page, service: "none" })),
    ),
    line(
      "list of 50, since 30 min, service",
      size,
      await time(() => store.listTraces({ ...page, service: "checkout", since: since as never })),
    ),
    line("trace of 20 by id", size, await time(() => store.readTrace(ids[next++ % ids.length]!))),
    ...(await measureRoutes(store, size)),
    line("trace of 20,000 by id", size, await time(() => store.readTrace(large), 5)),
  ]
}

/** The query of `/routes`, for one day and for all spans. */
async function measureRoutes(store: TestStore, size: number): Promise<Line[]> {
  const lines: Line[] = []
  for (const [name, hours] of [
    ["a day", 24],
    ["all", 24 * 30],
  ] as const) {
    const from = end - hours * 3_600_000
    const scope = { from: fromMilliseconds(from), until: fromMilliseconds(end) }
    const [busiest] = (await store.listRoutes(scope)).routes
    lines.push(line(`routes of ${name}`, size, await time(() => store.listRoutes(scope), 10)))
    const steps = stepsOf(from, end)
    const route = busiest?.route ?? ""
    lines.push(line(`one route of ${name}`, size, await time(() => store.readRoute(route, scope, steps), 10)))
  }
  return lines
}

async function walk(store: TestStore, pages: number): Promise<string | undefined> {
  let after: string | undefined
  for (let page = 0; page < pages; page++) after = (await store.listTraces({ limit: 50, after })).next
  return after
}

async function measureDisk(client: ClickHouseClient, size: number): Promise<Line> {
  const answer = await client.query({
    query: `SELECT table, sum(bytes_on_disk) / ${size * MILLION} AS each FROM system.parts WHERE active GROUP BY table ORDER BY each DESC`,
    format: "JSONEachRow",
  })
  const tables = await answer.json<{ table: string; each: number }>()
  const total = tables.reduce((sum, { each }) => sum + each, 0)
  const parts = tables.map(({ table, each }) => `${table} ${each.toFixed(1)}`).join(", ")
  return { what: `bytes on disk a span: ${parts}`, spans: `${size} M`, p50: total.toFixed(1), p95: "" }
}

async function time(work: () => Promise<unknown>, repetitions = REPETITIONS): Promise<number[]> {
  const times: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times
}

function line(what: string, size: number, times: readonly number[]): Line {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)} ms`
  return { what, spans: `${size} M`, p50: at(0.5), p95: at(0.95) }
}
