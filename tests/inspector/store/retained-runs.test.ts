import { join } from "node:path"
import type { ClickHouseClient } from "@clickhouse/client"
import { describe, expect, test } from "vitest"
import { type Run, runFilter } from "#otel/inspector/queries/list/run.ts"
import { storedColumns } from "#otel/inspector/store/schema/ddl.ts"
import { RETAINED } from "#otel/inspector/store/schema/record-tables.ts"
import type { StoreSettings } from "#otel/inspector/store/store.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "./directories.ts"
import { error, log } from "./events.ts"
import { clientOf, portOf, processOfTest, stop, TOKEN } from "./process/processes.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { DAY_MS, storeOfTest } from "./stores.ts"
import type { TestStore } from "./test-store.ts"

const run: Run = { name: "retained", filter: "service:shop", since: ago(5 * DAY_MS), until: ago(3 * DAY_MS) }
/** The start of the run's spans, all on one day at any time of day. */
const began = fromMilliseconds(Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS + DAY_MS / 2)
const DAYS_LATER = 7

const ofRun = { limit: 10, filter: runFilter(run) }
const ids = async (store: TestStore, query: Parameters<TestStore["listTraces"]>[0]) =>
  (await store.listTraces(query)).traces.map((trace) => trace.traceId).toSorted()

/** Trace 1 of the run, with a child, an error and a log; trace 2 of the same day and another service; trace 3 of today. */
async function fill(store: TestStore): Promise<void> {
  await store.ready()
  const attributes = new Map([["http.route", "/cart"]])
  await store.insertSpans(
    [
      span(1, 1, { startTime: began, name: "cart", attributes }),
      span(1, 2, {
        startTime: plus(began, 1_000_000n),
        parentSpanId: spanId(1),
        status: { code: "error", message: "" },
      }),
      span(2, 3, { startTime: began, resource: service("other") }),
      span(3, 4),
    ],
    "spans",
  )
  await store.insertErrors([error(11, 11, { time: began, traceId: traceId(1) })], "errors")
  await store.insertLogs([log(1, { time: began, traceId: traceId(1) })], "logs")
}

async function copied(store: TestStore, spans: number): Promise<void> {
  await expect.poll(async () => (await store.listCopies()).map((copy) => copy.spans)).toStrictEqual([spans])
}

/** The tables in the directory while no store has it open. */
async function rowsIn(directory: string, table: string): Promise<string> {
  const child = processOfTest()
  const client = clientOf(await portOf(child, directory))
  const answer = await client.query({ query: `SELECT count() FROM ${table}`, format: "TabSeparated" })
  const text = await answer.text()
  await client.close()
  await stop(child)
  return text.trim()
}

async function showsTheRunAlone(store: TestStore): Promise<void> {
  expect(await ids(store, ofRun)).toStrictEqual([traceId(1)])
  expect(await ids(store, { limit: 10, since: ago(30 * DAY_MS), until: ago(2 * DAY_MS) })).toStrictEqual([traceId(1)])
  expect((await store.readTrace(traceId(1))).map(({ name }) => name)).toStrictEqual(["cart", "span 2"])
  const { ids: stored } = (await store.readOutline(traceId(1)))!
  expect([0, 1, 2].map((index) => stored.text(index))).toStrictEqual([spanId(1), spanId(2), ""])
  expect(await store.readSpan(traceId(1), spanId(2))).toHaveLength(1)
  expect(await store.readErrorsOfTrace(traceId(1))).toHaveLength(1)
  expect((await store.listLogs({ traceId: traceId(1), limit: 10 })).logs).toHaveLength(1)
  expect(await store.entryStats({ filter: ofRun.filter })).toMatchObject([{ route: "/cart", count: 1 }])
  const { routes } = await store.measureRoutes({ filter: ofRun.filter }, { since: ago(-60_000) })
  expect(routes).toMatchObject([{ route: "/cart", kind: "request", a: { count: 1, failed: 1 }, b: { count: 0 } }])
  expect(await store.sampleTraces({ filter: ofRun.filter }, 100)).toMatchObject({ traces: 1, sampled: [{}] })
  const [figures] = await store.measureFigures({ filter: ofRun.filter })
  expect(figures).toMatchObject({ route: "/cart", measure: "request", count: 1, failed: 1, worst: traceId(1) })
  expect(await store.sampleViews({ filter: ofRun.filter }, 100)).toMatchObject({
    traces: 1,
    sampled: [{ ids: [spanId(1), spanId(2)] }],
    views: [{ route: "/cart", kind: "request" }],
  })
  const overview = await store.overviewTraces({ filter: ofRun.filter }, Date.now())
  expect(overview).toMatchObject({ traces: 1, failed: 1, services: [{ value: "shop", traces: 1 }] })
  expect((await store.readSpanFacets({ filter: ofRun.filter })).kind.length).toBeGreaterThan(0)
  expect(await store.readTrace(traceId(2))).toStrictEqual([])
}

describe("the traces of a retained run remain when others of its day are deleted,", () => {
  async function expectRetained(dataDirectory: string, settings?: Partial<StoreSettings>): Promise<void> {
    const store = storeOfTest({ dataDirectory }, settings)
    await fill(store)
    await store.retainRun(run)
    await copied(store, 2)
    await store.close()
  }

  test("because they are past the age", async () => {
    const dataDirectory = directoryOfTest()
    await expectRetained(dataDirectory)
    const now = () => Date.now() + DAYS_LATER * DAY_MS - DAY_MS / 2
    const later = storeOfTest({ dataDirectory }, { dependencies: { now, random: Math.random } })
    await later.ready()
    await showsTheRunAlone(later)
    expect(await ids(later, { limit: 10 })).toStrictEqual([traceId(3)])
    await later.close()
    expect(await rowsIn(join(dataDirectory, "clickhouse"), "otel_traces")).toBe("1")
  })

  test("because the store exceeds its size", async () => {
    const dataDirectory = directoryOfTest()
    await expectRetained(dataDirectory)
    const smaller = storeOfTest({ dataDirectory }, { maxBytes: 1 })
    await smaller.ready()
    await expect.poll(() => smaller.readTrace(traceId(2))).toStrictEqual([])
    await expect.poll(() => ids(smaller, ofRun)).toStrictEqual([traceId(1)])
    await showsTheRunAlone(smaller)
  })

  test("because their day is deleted next, even if they have not been copied yet", async () => {
    const dataDirectory = directoryOfTest()
    const store = storeOfTest({ dataDirectory })
    await fill(store)
    await store.close()
    const full = storeOfTest({ dataDirectory }, { maxRetainedSpans: 0 })
    await full.ready()
    await full.retainRun(run)
    await full.close()
    const now = () => Date.now() + DAYS_LATER * DAY_MS - DAY_MS / 2
    const later = storeOfTest({ dataDirectory }, { dependencies: { now, random: Math.random } })
    await later.ready()
    await copied(later, 2)
    await expect.poll(() => ids(later, ofRun)).toStrictEqual([traceId(1)])
  })
})

describe("the copies of retained runs", () => {
  test("have a limit in spans, contain whole traces only, and continue when another run is removed", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest() }, { maxRetainedSpans: 3 })
    await fill(store)
    const other: Run = { ...run, name: "other", filter: "" }
    await store.retainRun(run)
    await copied(store, 2)
    await store.retainRun({ ...other, since: began })
    await expect
      .poll(() => store.listCopies())
      .toMatchObject([
        { run: "retained", traces: 1, spans: 2, isFull: false },
        { run: "other", traces: 0, spans: 0, isFull: true },
      ])
    await store.removeRun(run)
    await copied(store, 3)
  })

  test("follow the new filter when a run of the same name is retained", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest() })
    await fill(store)
    await store.retainRun(run)
    await copied(store, 2)
    await store.retainRun({ ...run, filter: "service:other" })
    await copied(store, 1)
  })

  test("exist on a server too, with all columns of each table", async () => {
    const port = await portOf(processOfTest(), directoryOfTest())
    const store = storeOfTest({ url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`) })
    await fill(store)
    await store.retainRun(run)
    await copied(store, 2)
    const client = clientOf(port)
    for (const { source, retained } of RETAINED) {
      const columns = storedColumns(source)
      expect([source.name, await columnsOf(client, source.name)]).toStrictEqual([source.name, columns.toSorted()])
      const copied = [...columns, "Run"].toSorted()
      expect([retained.name, await columnsOf(client, retained.name)]).toStrictEqual([retained.name, copied])
    }
    // As the server's own TTL does.
    for (const { source } of RETAINED) await client.command({ query: `TRUNCATE TABLE ${source.name}` })
    await client.close()
    const again = storeOfTest({ url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`) })
    await again.ready()
    await expect.poll(() => ids(again, ofRun)).toStrictEqual([traceId(1)])
    await showsTheRunAlone(again)
  })
})

async function columnsOf(client: ClickHouseClient, table: string): Promise<string[]> {
  const answer = await client.query({
    query: `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
      AND default_kind != 'ALIAS' ORDER BY name`,
    query_params: { table },
    format: "JSONEachRow",
  })
  return (await answer.json<{ name: string }>()).map(({ name }) => name).toSorted()
}
