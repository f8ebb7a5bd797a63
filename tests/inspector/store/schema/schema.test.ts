import type { ClickHouseClient } from "@clickhouse/client"
import { describe, expect, test } from "vitest"
import type { StoreSettings } from "#otel/inspector/store/store.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "../directories.ts"
import { clientOf, portOf, processOfTest, TOKEN } from "../process/processes.ts"
import { ago, span, spanId, traceId } from "../spans.ts"
import { DAY_MS, storeOfTest } from "../stores.ts"
import type { TestStore } from "../test-store.ts"

/** A ClickHouse server that others use too. */
async function sharedServer(): Promise<{
  client: ClickHouseClient
  store: (settings?: Partial<StoreSettings>) => TestStore
}> {
  const port = await portOf(processOfTest(), directoryOfTest())
  const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
  return { client: clientOf(port), store: (settings) => storeOfTest({ url }, settings) }
}

async function rows<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  return (await client.query({ query, format: "JSONEachRow" })).json<Row>()
}

/** The age in the definition of each table that has one. */
function ages(client: ClickHouseClient) {
  return rows<{ name: string; seconds: string }>(
    client,
    `SELECT name, extract(create_table_query, 'toIntervalSecond\\((\\d+)\\)') AS seconds FROM system.tables
      WHERE database = currentDatabase() AND seconds != '' ORDER BY name`,
  )
}

const DDL = "SELECT name, create_table_query AS ddl FROM system.tables WHERE database = currentDatabase() ORDER BY name"

describe("beside a collector", () => {
  // An older release of the exporter: fewer columns, another type of Duration, another look-up table.
  const OLD_TRACES = `CREATE TABLE otel_traces (
    Timestamp DateTime64(9), TraceId String, SpanId String, ParentSpanId String, TraceState String,
    SpanName LowCardinality(String), SpanKind LowCardinality(String), ServiceName LowCardinality(String),
    ResourceAttributes Map(LowCardinality(String), String), ScopeName String, ScopeVersion String,
    SpanAttributes Map(LowCardinality(String), String), Duration Int64, StatusCode LowCardinality(String),
    StatusMessage String,
    Events Nested (Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)),
    Links Nested (TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String))
  ) ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, SpanName, toUnixTimestamp(Timestamp), TraceId)
  TTL toDateTime(Timestamp) + toIntervalDay(30)`
  const OLD_TIMES = `CREATE TABLE otel_traces_trace_id_ts (TraceId String, Start DateTime64(9), End DateTime64(9))
    ENGINE = MergeTree ORDER BY (TraceId, toUnixTimestamp(Start))`
  const OLD_VIEW = `CREATE MATERIALIZED VIEW otel_traces_trace_id_ts_mv TO otel_traces_trace_id_ts AS
    SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End FROM otel_traces WHERE TraceId != '' GROUP BY TraceId`

  test("the collector's tables do not change, whatever the retention, and both kinds of span are listed and read", async () => {
    const { client, store: open } = await sharedServer()
    for (const query of [OLD_TRACES, OLD_TIMES, OLD_VIEW]) await client.command({ query })
    const before = await rows(client, DDL)
    await open({ retentionMs: DAY_MS }).ready()
    const store = open({ retentionMs: 2 * DAY_MS })
    await store.ready()
    const after = await rows<{ name: string }>(client, DDL)
    expect(after.filter(({ name }) => name.startsWith("otel_"))).toStrictEqual(before)

    const time = `${Date.now() / 1_000}`
    await client.insert({
      table: "otel_traces",
      values: [
        {
          Timestamp: time,
          TraceId: traceId(1),
          SpanId: spanId(1),
          SpanName: "theirs",
          SpanKind: "Server",
          ServiceName: "",
          SpanAttributes: { n: "5" },
          Duration: "7",
          StatusCode: "Error",
        },
      ],
      format: "JSONEachRow",
    })
    await store.insertSpans([span(2, 2, { name: "ours", startTime: ago(60_000) })], "ours")
    const { traces } = await store.listTraces({ limit: 10 })
    expect(traces).toMatchObject([
      { name: "theirs", services: ["unknown_service"], spanCount: 1, errorCount: 1, sources: ["otlp"] },
      { name: "ours", services: ["shop"], spanCount: 1, errorCount: 0, sources: ["otlp"] },
    ])
    const [theirs] = await store.readTrace(traceId(1))
    expect(theirs).toMatchObject({ name: "theirs", kind: "server", status: { code: "error" }, source: "otlp" })
    expect(theirs?.attributes.get("n")).toBe("5")
    expect((await store.readTrace(traceId(2)))[0]?.name).toBe("ours")
  })

  test("Pagespan's own inserts reach its table once, and not again through the view", async () => {
    const { client, store: open } = await sharedServer()
    const store = open()
    await store.ready()
    await store.insertSpans([span(1, 1)], "once")
    expect(await rows(client, "SELECT toUInt32(count()) AS n FROM pagespan_spans")).toStrictEqual([{ n: 1 }])
  })
})

describe("the schema", () => {
  test("does not change when it is opened again", async () => {
    const { client, store } = await sharedServer()
    await store().ready()
    const before = [await rows(client, DDL), await rows(client, "SELECT * FROM pagespan_migrations ORDER BY Version")]
    await store().ready()
    expect([
      await rows(client, DDL),
      await rows(client, "SELECT * FROM pagespan_migrations ORDER BY Version"),
    ]).toStrictEqual(before)
  })

  test("of a newer version is refused with a clear message, and nothing is written", async () => {
    const { client, store } = await sharedServer()
    await store().ready()
    await client.command({ query: "INSERT INTO pagespan_migrations (Version, Title) VALUES (99, 'from the future')" })
    await client.command({ query: "DROP TABLE pagespan_dropped" })
    const before = await rows(client, DDL)
    const late = store()
    await expect(late.ready()).rejects.toThrow(
      /^The store was written by a newer Pagespan \(schema 99; this one knows \d+\)\./,
    )
    expect(late.state).toBe("down")
    expect(await rows(client, DDL)).toStrictEqual(before)
  })

  test("of an interrupted start is completed", async () => {
    const { client, store } = await sharedServer()
    await store().ready()
    await client.command({ query: "TRUNCATE TABLE pagespan_migrations" })
    await client.command({ query: "DROP TABLE pagespan_starts_mv" })
    const again = store()
    await again.ready()
    await again.insertSpans([span(1, 1)], "after")
    expect((await again.listTraces({ limit: 1 })).traces).toHaveLength(1)
  })
})

describe("retention", () => {
  test("is the age of every table of Pagespan, and follows the configuration", async () => {
    const { client, store } = await sharedServer()
    await store({ retentionMs: 90_000 }).ready()
    const tables = [
      "otel_traces",
      "otel_traces_trace_id_ts",
      "pagespan_dropped",
      "pagespan_errors",
      "pagespan_items",
      "pagespan_logs",
      "pagespan_routes",
      "pagespan_spans",
      "pagespan_starts",
    ]
    expect(await ages(client)).toStrictEqual(tables.map((name) => ({ name, seconds: "90" })))
    await store({ retentionMs: 2 * DAY_MS }).ready()
    expect(await ages(client)).toStrictEqual(tables.map((name) => ({ name, seconds: "172800" })))
  })

  test("applies to every query at once, before rows are deleted", async () => {
    const { store: open } = await sharedServer()
    const store = open({ retentionMs: 10 * DAY_MS })
    await store.ready()
    await store.insertSpans([span(1, 1, { startTime: ago(3_600_000) }), span(2, 2, { startTime: ago(1_000) })], "aged")
    await store.insertDrops(
      [
        {
          time: ago(3_600_000),
          stage: "ingest",
          sender: "inspector",
          reason: "expired",
          category: "span",
          count: 1,
          sample: "",
        },
      ],
      "aged",
    )
    const later = open({
      retentionMs: 10 * DAY_MS,
      dependencies: { now: () => Date.now() + 10 * DAY_MS - 60_000, random: Math.random },
    })
    await later.ready()
    expect((await later.listTraces({ limit: 10 })).traces.map((trace) => trace.traceId)).toStrictEqual([traceId(2)])
    expect(await later.readTrace(traceId(1))).toStrictEqual([])
    expect(await later.readTrace(traceId(2))).toHaveLength(1)
    expect(await later.listDrops(10)).toStrictEqual([])
    expect(await store.listDrops(10)).toHaveLength(1)
  })
})
