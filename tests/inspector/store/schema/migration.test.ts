import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ClickHouseClient } from "@clickhouse/client"
import { describe, expect, test } from "vitest"
import { type Run, runFilter } from "#otel/inspector/queries/list/run.ts"
import { createTable } from "#otel/inspector/store/schema/ddl.ts"
import { OTEL_TRACES } from "#otel/inspector/store/schema/span-tables.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "../directories.ts"
import { clientOf, portOf, processOfTest, stop, TOKEN } from "../process/processes.ts"
import { ago, span, spanId, traceId } from "../spans.ts"
import { DAY_MS, storeOfTest } from "../stores.ts"

/** A store that the version before schema 9 created and filled: its DDL, and rows as it inserted them. */

const SCHEMA_8 = statementsOf(readFileSync("tests/inspector/store/schema/schema-8.sql", "utf8"))
const EARLIER = /^pagespan_(losses|kept_)/

/** Its traces are past the retention: only their copies exist. */
const run: Run = { name: "before", filter: "service:shop", since: ago(11 * DAY_MS), until: ago(9 * DAY_MS) }
const COPIED = `fromUnixTimestamp64Nano(${ago(10 * DAY_MS)})`

const ROWS = [
  `INSERT INTO otel_traces (Timestamp, TraceId, SpanId, SpanName, ServiceName, Duration)
    VALUES (now64(9) - INTERVAL 1 MINUTE, '${traceId(1)}', '${spanId(1)}', 'recent', 'shop', 5)`,
  `INSERT INTO pagespan_losses VALUES
    (now64(9) - INTERVAL 2 MINUTE, 'door', 'not_kept', 'default', 3, 'an item', 'old', 0),
    (now64(9) - INTERVAL 3 MINUTE, 'store', 'expired', 'span', 1, 'a span', 'old', 1),
    (now64(9) - INTERVAL 4 MINUTE, 'tunnel', 'rate_limited', 'span', 9, '', 'old', 2)`,
  `INSERT INTO pagespan_runs (Name, Filter, Since, Until, IsRemoved, ChangedAt)
    VALUES ('before', 'service:shop', fromUnixTimestamp64Nano(${run.since}), fromUnixTimestamp64Nano(${run.until}), false, now64(3))`,
  `INSERT INTO pagespan_kept_trace_times SELECT 'before', '${traceId(2)}', toDateTime(${COPIED}), toDateTime(${COPIED})`,
  `INSERT INTO pagespan_kept_traces (Run, Timestamp, TraceId, SpanId, SpanName, ServiceName, Duration)
    VALUES ('before', ${COPIED}, '${traceId(2)}', '${spanId(2)}', 'copied', 'shop', 7)`,
  `INSERT INTO pagespan_kept_spans (Run, TraceId, SpanId, Source, Timestamp, Duration, ServiceName, SpanName, IsRoot)
    VALUES ('before', '${traceId(2)}', '${spanId(2)}', 'otlp', ${COPIED}, 7, 'shop', 'copied', true)`,
  `INSERT INTO pagespan_kept_starts VALUES ('before', ${COPIED}, '${traceId(2)}', 'shop')`,
  `INSERT INTO pagespan_kept_errors (Run, Time, IssueId, EventId, TraceId, Type, Detail) VALUES ('before', ${COPIED}, 'i', 'e',
    '${traceId(2)}', 'TypeError', '{"exceptions":[],"breadcrumbs":"","request":"","context":"","fingerprint":[],"tags":{"pairs":[]}}')`,
  `INSERT INTO pagespan_kept_logs (Run, Timestamp, LogId, TraceId, Body, Source)
    VALUES ('before', ${COPIED}, 'l', '${traceId(2)}', 'a line', 'otlp')`,
  `INSERT INTO pagespan_kept_copies VALUES ('before', now64(9) - INTERVAL 9 DAY, 1, 1)`,
]

function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/^--.*$/gm, "")
    .split(";\n")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}

async function fill(client: ClickHouseClient): Promise<void> {
  for (const query of [...SCHEMA_8, ...ROWS]) await client.command({ query })
}

async function tableNames(client: ClickHouseClient): Promise<string[]> {
  const query = "SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name"
  const answer = await client.query({ query, format: "JSONEachRow" })
  return (await answer.json<{ name: string }>()).map(({ name }) => name)
}

/** Opens the engine on the embedded store's files, without a store. */
async function withEngine<Answer>(dataDirectory: string, work: (client: ClickHouseClient) => Promise<Answer>) {
  const child = processOfTest()
  const client = clientOf(await portOf(child, join(dataDirectory, "clickhouse")))
  const answer = await work(client)
  await client.close()
  await stop(child)
  return answer
}

describe("a store of schema version 8", () => {
  test("opens with its drops, with today's names and values, and stores new ones", async () => {
    const dataDirectory = directoryOfTest()
    await withEngine(dataDirectory, fill)
    const store = storeOfTest({ dataDirectory })
    await store.ready()
    const before = [
      { stage: "ingest", sender: "inspector", reason: "unsupported", category: "default", count: 3, sample: "an item" },
      { stage: "store", sender: "inspector", reason: "expired", category: "span", count: 1, sample: "a span" },
      // Before schema 10 the store did not know who counted: what happened in an app is a client's.
      { stage: "tunnel", sender: "client", reason: "rate_limited", category: "span", count: 9, sample: "" },
    ]
    expect(await store.listDrops(10)).toMatchObject(before)
    const drop = {
      time: ago(1_000),
      stage: "queue",
      sender: "inspector",
      reason: "queue_overflow",
      category: "span",
      count: 2,
      sample: "",
    } as const
    await store.insertDrops([drop], "new")
    expect(await store.listDrops(10)).toMatchObject([drop, ...before])
    const unsupported = { from: ago(DAY_MS), until: ago(0), reason: "unsupported" as never, limit: 10 }
    expect((await store.pageDrops(unsupported)).drops).toMatchObject([before[0]])
  })

  test("opens with its traces and retained runs, and copies new ones", async () => {
    const dataDirectory = directoryOfTest()
    await withEngine(dataDirectory, fill)
    const store = storeOfTest({ dataDirectory })
    await store.ready()
    expect((await store.listTraces({ limit: 10 })).traces.map(({ name }) => name)).toStrictEqual(["recent"])
    expect(await store.listRuns()).toStrictEqual([run])
    expect(await store.listCopies()).toMatchObject([{ run: "before", traces: 1, spans: 1 }])
    const ofRun = await store.listTraces({ limit: 10, filter: runFilter(run) })
    expect(ofRun.traces.map((trace) => trace.traceId)).toStrictEqual([traceId(2)])
    expect((await store.readTrace(traceId(2))).map(({ name }) => name)).toStrictEqual(["copied"])
    expect(await store.readErrorsOfTrace(traceId(2))).toMatchObject([{ eventId: "e", type: "TypeError" }])
    expect((await store.listLogs({ traceId: traceId(2), limit: 10 })).logs).toMatchObject([{ body: "a line" }])

    await store.insertSpans([span(3, 3, { startTime: ago(4 * DAY_MS) })], "new")
    await store.retainRun({ ...run, name: "after", since: ago(5 * DAY_MS), until: ago(3 * DAY_MS) })
    await expect
      .poll(() => store.listCopies())
      .toMatchObject([
        { run: "after", spans: 1 },
        { run: "before", spans: 1 },
      ])
    await store.removeRun(run)
    expect(await store.readTrace(traceId(2))).toStrictEqual([])
  })

  test("has the tables of a new store, whose age follows the configuration, and opens again", async () => {
    const [earlier, fresh] = [directoryOfTest(), directoryOfTest()]
    await withEngine(earlier, fill)
    for (const dataDirectory of [earlier, fresh, earlier]) {
      const store = storeOfTest({ dataDirectory }, { retentionMs: DAY_MS })
      await store.ready()
      await store.close()
    }
    const shapes = async (client: ClickHouseClient) => {
      const query = `SELECT name, replaceRegexpAll(create_table_query, '\\\\b(told|vital)\\\\b', '') AS ddl FROM system.tables
        WHERE database = currentDatabase() ORDER BY name`
      return (await client.query({ query, format: "JSONEachRow" })).json()
    }
    expect(await withEngine(earlier, shapes)).toStrictEqual(await withEngine(fresh, shapes))
  })

  test("continues a copy of its spans that was interrupted, and has each span once", async () => {
    const dataDirectory = directoryOfTest()
    const columns = "Timestamp, TraceId, SpanId, SpanName, ServiceName, Duration"
    await withEngine(dataDirectory, async (client) => {
      await fill(client)
      const rebuilt = createTable(OTEL_TRACES, { retentionSeconds: DAY_MS, embedded: true }, "otel_traces_rebuilt")
      const moment = `fromUnixTimestamp64Nano(${ago(2 * DAY_MS)})`
      // One day was copied and dropped before the interruption, of another a part was copied.
      const moved = `INSERT INTO otel_traces_rebuilt (${columns})
        VALUES (${moment}, '${traceId(3)}', '${spanId(3)}', 'moved', 'shop', 6)`
      const times = `INSERT INTO otel_traces_trace_id_ts SELECT '${traceId(3)}', toDateTime(${moment}), toDateTime(${moment})`
      const copied = `INSERT INTO otel_traces_rebuilt (${columns}) SELECT ${columns} FROM otel_traces`
      for (const query of [rebuilt, moved, times, copied]) await client.command({ query })
    })
    const store = storeOfTest({ dataDirectory })
    await store.ready()
    expect((await store.readTrace(traceId(1))).map(({ name }) => name)).toStrictEqual(["recent"])
    expect((await store.readTrace(traceId(3))).map(({ name }) => name)).toStrictEqual(["moved"])
    await store.close()
    const counts = async (client: ClickHouseClient) => {
      const query =
        "SELECT toUInt32(count()) AS spans, any(sorting_key) AS sorted FROM otel_traces, (SELECT sorting_key FROM system.tables WHERE name = 'otel_traces') AS key"
      return (await client.query({ query, format: "JSONEachRow" })).json()
    }
    expect(await withEngine(dataDirectory, counts)).toStrictEqual([
      { spans: 2, sorted: "toStartOfMinute(Timestamp), TraceId, Timestamp" },
    ])
    expect((await withEngine(dataDirectory, tableNames)).filter((name) => name.endsWith("_rebuilt"))).toStrictEqual([])
  })

  test("on a server is renamed if Pagespan created the tables, and refused with a clear message otherwise", async () => {
    const port = await portOf(processOfTest(), directoryOfTest())
    const client = clientOf(port)
    await fill(client)
    await client.command({ query: "TRUNCATE TABLE pagespan_migrations" })
    await client.command({ query: "INSERT INTO pagespan_migrations (Version, Title) VALUES (8, 'made by others')" })
    const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
    await expect(storeOfTest({ url }).ready()).rejects.toThrow(
      /^Tables have the names of an earlier Pagespan, and Pagespan did not create them\. Run cluster\.sql again, .*RENAME TABLE IF EXISTS pagespan_losses TO pagespan_dropped; /,
    )
    const before = await tableNames(client)
    expect(before.filter((name) => EARLIER.test(name))).toHaveLength(8)

    const made = before.map((name) => `'${name}'`).join(", ")
    await client.command({ query: `INSERT INTO pagespan_migrations (Version, Title, Made) VALUES (1, '', [${made}])` })
    const store = storeOfTest({ url })
    await store.ready()
    expect(await store.listDrops(10)).toHaveLength(3)
    expect((await tableNames(client)).filter((name) => EARLIER.test(name))).toStrictEqual([])
    await client.close()
  })
})

/** A new store creates its tables at once; one whose first start was interrupted completes them step by step. */
test("an embedded store whose first start was interrupted has the tables of a new one, and their age follows the configuration", async () => {
  const [interrupted, fresh] = [directoryOfTest(), directoryOfTest()]
  const start = async (dataDirectory: string, retentionMs: number) => {
    const store = storeOfTest({ dataDirectory }, { retentionMs })
    await store.ready()
    await store.close()
  }
  await start(interrupted, DAY_MS)
  await withEngine(interrupted, async (client) => {
    for (const query of [
      "TRUNCATE TABLE pagespan_migrations",
      "DROP TABLE pagespan_routes_mv",
      "DROP TABLE pagespan_logs",
    ])
      await client.command({ query })
  })
  for (const dataDirectory of [interrupted, fresh]) await start(dataDirectory, 2 * DAY_MS)
  const schema = async (client: ClickHouseClient) => {
    const rowsOf = async (query: string) => (await client.query({ query, format: "JSONEachRow" })).json()
    return {
      tables: await rowsOf(
        "SELECT name, create_table_query AS ddl FROM system.tables WHERE database = currentDatabase() ORDER BY name",
      ),
      steps: await rowsOf("SELECT Version, Title, Made FROM pagespan_migrations ORDER BY Version"),
    }
  }
  const expected = await withEngine(fresh, schema)
  expect(expected.steps).toHaveLength(11)
  expect(await withEngine(interrupted, schema)).toStrictEqual(expected)
})
