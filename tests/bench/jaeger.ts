import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import type { ClickHouseClient } from "@clickhouse/client"
import { buildPackage } from "#otel/cli/package/build.ts"
import type { TraceListQuery } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { TraceId } from "#otel/protocol/records/ids.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { removeDirectory, temporaryDirectory } from "../inspector/store/directories.ts"
import { openTestStore, type TestStore } from "../inspector/store/test-store.ts"
import { ATTRIBUTES, jaegerTraces, keyOf, operationOf, serviceOf, SPANS_A_TRACE, valueOf } from "./jaeger/shape.ts"
import { percentile } from "./percentile.ts"
import { copySpans, mergeDays, MILLION, sizeOf, untilMerged, withEngine } from "./store/fill-store.ts"

/**
 * Jaeger's published benchmark of its ClickHouse storage, on the embedded store: 10 million spans of ten days, and its
 * queries, beside the figures that Jaeger states.
 *
 *     npm run bench:jaeger -- --millions 10 --attributes 11
 *
 * The first million is inserted as under load; the engine copies it to other days with other ids. With `--directory` it
 * continues with, and leaves, what is there.
 *
 * @see https://github.com/jaegertracing/jaeger/blob/main/internal/storage/v2/clickhouse/BENCHMARKING.md
 */

const DAY_MS = 86_400_000
const BATCH_SPANS = 20_000
const REPETITIONS = 30
/** Jaeger's statements return the ids of so many traces, with their times. A page of Pagespan's list has fifty, summed up. */
const PAGE = 50
const MANY = 1_000

const { values } = parseArgs({
  options: {
    millions: { type: "string", default: "10" },
    attributes: { type: "string", default: String(ATTRIBUTES) },
    directory: { type: "string" },
  },
})
const days = Number(values.millions)
await buildPackage(process.cwd())
const dataDirectory = values.directory ?? temporaryDirectory()
/** Until the end of yesterday, so that the days are whole. */
const end = Math.floor(Date.now() / DAY_MS) * DAY_MS
try {
  await fill()
  console.table(await withEngine(dataDirectory, measureDisk))
  console.table(await withStore(measureReads))
  console.log(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
} finally {
  if (values.directory === undefined) removeDirectory(dataDirectory)
}

/** Opens the embedded store as the app does. */
async function withStore<Answer>(work: (store: TestStore) => Promise<Answer>): Promise<Answer> {
  const store = openTestStore({ dataDirectory }, { retentionMs: 60 * DAY_MS })
  try {
    await store.ready()
    return await work(store)
  } finally {
    await store.close()
  }
}

async function fill(): Promise<void> {
  const stored = await withStore(async (store) => (await store.listTraces({ limit: 1 })).traces.length)
  if (stored === 0) await withStore(insertDay)
  await withEngine(dataDirectory, async (client) => {
    for (let day = Math.round((await sizeOf(client)).spans / MILLION); day < days; day++)
      await copySpans(client, {
        from: end - DAY_MS,
        until: end,
        shiftMs: day * DAY_MS,
        prefix: (4_096 + day).toString(16),
      })
    await untilMerged(client)
    await mergeDays(client)
  })
}

async function insertDay(store: TestStore): Promise<void> {
  const attributes = Number(values.attributes)
  const shape = { batchSpans: BATCH_SPANS, attributes }
  let ms = 0
  let number = 0
  for (const batch of jaegerTraces(MILLION / SPANS_A_TRACE, end - DAY_MS, DAY_MS - 1_000, shape)) {
    const start = performance.now()
    await store.insertSpans(batch, `jaeger ${number++}`)
    ms += performance.now() - start
  }
  console.log(`inserted a million spans at ${Math.round((MILLION / ms) * 1_000)} spans/s`)
}

async function measureDisk(client: ClickHouseClient): Promise<object[]> {
  const answer = await client.query({
    query: `SELECT table, round(sum(bytes_on_disk) / (SELECT count() FROM otel_traces), 1) AS "bytes a span",
      round(sum(data_uncompressed_bytes) / sum(data_compressed_bytes), 1) AS "compression"
      FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table ORDER BY 2 DESC`,
    format: "JSONEachRow",
  })
  return answer.json()
}

interface Line {
  readonly query: string
  /** What Jaeger states for its statement, on four cores. */
  readonly jaeger: string
  readonly p50: string
  readonly p95: string
  readonly rows: number
}

async function measureReads(store: TestStore): Promise<Line[]> {
  const { traces } = await store.listTraces({ limit: MANY, until: fromMilliseconds(end - (days / 2) * DAY_MS) })
  const ids = traces.map(({ traceId }) => traceId)
  const idOf = (number: number) => ids[(number * 37) % ids.length] as TraceId
  const attribute = (number: number) => `${keyOf(number * 13)}:${valueOf(number * 13)}`
  const day = { since: fromMilliseconds(end - 3 * DAY_MS), until: fromMilliseconds(end - 2 * DAY_MS) }
  const slow = "{duration>500ms}"
  const list = (filter: string, limit: number, scope: Partial<TraceListQuery> = {}) =>
    store.listTraces({ limit, filter: parseFilter(filter).tree, ...scope }).then((page) => page.traces.length)
  const searches: readonly (readonly [string, string, (number: number, limit: number) => Promise<number>])[] = [
    ["service", "37 ms", (number, limit) => list(`service:${serviceOf(number)}`, limit)],
    ["operation", "38 ms", (number, limit) => list(`span.name:${operationOf(1 + (number % 9))}`, limit)],
    ["duration range", "43 ms", (_, limit) => list(slow, limit)],
    ["time range", "47 ms", (_, limit) => list("", limit, day)],
    ["attribute", "1,769 ms", (number, limit) => list(attribute(number), limit)],
    [
      "all of these",
      "139 ms",
      (number, limit) => list(`service:${serviceOf(number)} {duration>10ms} ${attribute(number)}`, limit, day),
    ],
  ]
  const lines = [
    await line("services", "3 ms", async () => (await store.knownValues("service", "")).length),
    await line("operations", "4 ms", async () => (await store.knownValues("name", "")).length),
    await line("trace by id", "101 ms", async (number) => (await store.readTrace(idOf(number))).length),
  ]
  for (const [what, jaeger, search] of searches)
    lines.push(await line(`${what}, newest ${PAGE}`, jaeger, (number) => search(number, PAGE)))
  for (const [what, jaeger, search] of searches)
    lines.push(await line(`${what}, newest ${MANY}`, jaeger, (number) => search(number, MANY)))
  return lines
}

async function line(query: string, jaeger: string, work: (number: number) => Promise<number>): Promise<Line> {
  const times: number[] = []
  let rows = 0
  try {
    await work(0)
    for (let number = 1; number <= REPETITIONS; number++) {
      const start = performance.now()
      rows = await work(number)
      times.push(performance.now() - start)
    }
  } catch (error) {
    // A query has a limit of its own, which a busy machine can exceed.
    return { query, jaeger, p50: "", p95: error instanceof Error ? error.message : String(error), rows }
  }
  const at = (share: number) => `${percentile(times, share).toFixed(0)} ms`
  return { query, jaeger, p50: at(0.5), p95: at(0.95), rows }
}
