import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Run } from "#otel/inspector/queries/list/run.ts"
import { parseFilter, parseLogFilter } from "#otel/inspector/search/index.ts"
import type { Readers } from "#otel/inspector/store/readers.ts"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { syntheticTraces } from "../../../bench/synthetic-traces.ts"
import { error, hex, log } from "../events.ts"
import { itemRecord } from "../items.ts"
import { processOfFile, TOKEN } from "../process/processes.ts"
import { ago, span, spanId, traceId } from "../spans.ts"
import { DAY_MS } from "../stores.ts"
import { openTestStore, type TestStore } from "../test-store.ts"
import { clusterNodeOfFile } from "./cluster-node.ts"
import { ExplainingProxy } from "./explaining-proxy.ts"

/**
 * Every query of the store on the tables of `cluster.sql`: the answers are those of one server, and the engine's analyser plans
 * each statement over two shards.
 */

const server = processOfFile()
const cluster = clusterNodeOfFile(1)
const wide = clusterNodeOfFile(2)
let proxy: ExplainingProxy
let stores: { readonly server: TestStore; readonly cluster: TestStore }

const synthetic = [...syntheticTraces(120, Date.now() - DAY_MS, DAY_MS - 60_000, 1_000)]
const [first] = synthetic.flat()
const root = first!
/** Two page loads in one trace, as in that of a test. */
const visits = [1, 2].map((number) =>
  span(0xdef, 0xdef0 + number, {
    parentSpanId: spanId(0xdef0),
    startTime: ago(DAY_MS / 2),
    attributes: new Map([
      ["sentry.op", "pageload"],
      ["http.route", "/visited"],
    ]),
  }),
)
const whole = span(0xdef, 0xdef0, { startTime: ago(DAY_MS / 2), name: "GET /visited" })
const errors = [
  error(1, 11, { traceId: root.traceId, spanId: root.spanId, tags: new Map([["session.id", "s1"]]) }),
  error(1, 12, { release: "shop@2" }),
  error(2, 21, { traceId: traceId(0xabc) }),
]
const logs = [log(1, { traceId: root.traceId, spanId: root.spanId }), log(2, { severityNumber: 17 })]
const items = [
  itemRecord({ itemId: hex(1), type: "event", eventId: hex(11), traceId: root.traceId, spanId: root.spanId }),
  itemRecord({ itemId: hex(2), type: "attachment", eventId: hex(11), payload: Buffer.from([0, 255]) }),
]
const drops: readonly DropRecord[] = [
  { time: ago(1_000), stage: "page", sender: "client", reason: "sample_rate", category: "span", count: 2, sample: "" },
]
/** It ends before the copies begin: one that goes on is copied up to a time that may differ between the stores. */
const run: Run = { name: "retained", filter: "service:web", since: ago(DAY_MS), until: ago(DAY_MS / 8) }

beforeAll(async () => {
  proxy = await ExplainingProxy.listen(cluster().port, wide().port)
  stores = { server: open(server()), cluster: open(proxy.port) }
  for (const store of Object.values(stores)) {
    await store.ready()
    for (const [number, batch] of synthetic.entries()) await store.insertSpans(batch, `spans ${number}`)
    await store.insertSpans([whole, ...visits], "visits")
    await store.insertErrors(errors, "errors")
    await store.insertLogs(logs, "logs")
    await store.insertItems(items, "items")
    await store.insertDrops(drops, "drops")
    await store.retainRun(run)
    await waitFor("the copy of the run", async () => (await store.listCopies()).length === 1)
  }
})
afterAll(async () => {
  for (const store of Object.values(stores ?? {})) await store.close()
  await proxy?.close()
})

function open(port: number): TestStore {
  const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
  return openTestStore({ url }, { retentionMs: 2 * DAY_MS })
}

const from = ago(DAY_MS)
const until = ago(0)
const HOUR_MS = 3_600_000
const steps = { from, stepMs: HOUR_MS, count: 24 }
const msSteps = { fromMs: Date.now() - DAY_MS, stepMs: HOUR_MS, count: 24 }
const filter = parseFilter("service:checkout status:ok duration>1ms url.path:*item*").tree!
const scope = { since: from, until }
const [route] = [...root.attributes].filter(([key]) => key === "http.route").map(([, value]) => String(value))
const like = { service: "web", name: root.name, except: root.traceId }

/** Each query, in the forms that differ in their statements. A new one has to be added here: the type asks for it. */
const QUERIES: { readonly [Name in keyof Readers]: readonly ((store: Readers) => Promise<unknown>)[] } = {
  listTraces: [
    (store) => store.listTraces({ limit: 20 }),
    (store) => store.listTraces({ limit: 20, ...scope, service: "stock", filter }),
    (store) => store.listTraces({ limit: 20, ...scope, order: { by: "duration", isAscending: false } }),
    (store) => store.listTraces({ limit: 20, ...scope, order: { by: "errors", isAscending: false } }),
    (store) => store.listTraces({ limit: 20, ...scope, filter: parseFilter("errors>0 OR errors:0").tree! }),
    (store) => store.listTraces({ limit: 20, filter: parseFilter("{-service:(web stock)}").tree! }),
    (store) => store.listTraces({ limit: 20, ...scope, filter: parseFilter("missing:(root OR parent)").tree! }),
  ],
  overviewTraces: [(store) => store.overviewTraces({ ...scope, filter }, Number(until / 1_000_000n))],
  measureTraces: [(store) => store.measureTraces(scope), (store) => store.measureTraces({ ...scope, filter })],
  readHeatmap: [(store) => store.readHeatmap({ ...scope, filter }, steps)],
  readDifferences: [
    (store) => store.readDifferences({ selection: { ...scope, filter }, baseline: scope, without: new Set() }),
  ],
  readSpanFacets: [(store) => store.readSpanFacets({ ...scope, filter })],
  readMissing: [(store) => store.readMissing({ ...scope, filter })],
  entryStats: [(store) => store.entryStats(scope), (store) => store.entryStats({ ...scope, filter }, steps)],
  serviceActivity: [(store) => store.serviceActivity(scope, steps)],
  knownAttributes: [(store) => store.knownAttributes()],
  knownValues: [(store) => store.knownValues("service", "w"), (store) => store.knownValues("http.route", "shop")],
  hasOtherServices: [(store) => store.hasOtherServices(["web", "stock"])],
  appStarts: [(store) => store.appStarts()],
  listRuns: [(store) => store.listRuns()],
  listCopies: [(store) => store.listCopies()],
  readTrace: [(store) => store.readTrace(root.traceId)],
  readTraces: [(store) => store.readTraces([root.traceId, traceId(404)])],
  readOutline: [(store) => store.readOutline(root.traceId)],
  countSpans: [(store) => store.countSpans(root.traceId)],
  readSpan: [(store) => store.readSpan(root.traceId, root.spanId)],
  readSpans: [(store) => store.readSpans(root.traceId, [root.spanId, spanId(404)])],
  readGenAi: [(store) => store.readGenAi(root.traceId)],
  searchSpans: [(store) => store.searchSpans(root.traceId, [{ key: "http.route", value: "*item*" }])],
  readPeers: [(store) => store.readPeers({ service: "web", name: root.name, duration: nanoseconds(1_000_000n) })],
  listPeerTraces: [(store) => store.listPeerTraces(like, 5)],
  listTraceErrors: [(store) => store.listTraceErrors(root.traceId)],
  readBackLinks: [(store) => store.readBackLinks(root.traceId, root.spanId)],
  listIssues: [
    (store) => store.listIssues({ limit: 10 }),
    (store) => store.listIssues({ limit: 10, search: "boom", order: "users", until }),
  ],
  readIssue: [(store) => store.readIssue(hex(1))],
  findEvent: [(store) => store.findEvent(hex(11)), (store) => store.findEvent(hex(11), hex(1))],
  countEvents: [(store) => store.countEvents([hex(1), hex(2)], msSteps)],
  readErrorsOfTrace: [(store) => store.readErrorsOfTrace(root.traceId)],
  pageErrorEvents: [(store) => store.pageErrorEvents({ source: "sentry", limit: 2 })],
  readSpanPath: [(store) => store.readSpanPath(root.traceId, root.spanId)],
  listItems: [(store) => store.listItems({ limit: 5 })],
  countItems: [(store) => store.countItems()],
  readItemsOfEvent: [(store) => store.readItemsOfEvent(hex(11))],
  readEventsOfSpans: [(store) => store.readEventsOfSpans(root.traceId, [root.spanId])],
  readItem: [(store) => store.readItem(hex(2))],
  listDrops: [(store) => store.listDrops(5)],
  pageDrops: [(store) => store.pageDrops({ from, until, limit: 5 })],
  overviewDrops: [(store) => store.overviewDrops({ from, until }, msSteps)],
  listRoutes: [(store) => store.listRoutes({ from, until })],
  readRoute: [
    (store) => store.readRoute(route ?? "", { from, until }, msSteps),
    (store) => store.readRoute("/visited", { from, until }, msSteps),
  ],
  listServices: [(store) => store.listServices(scope, steps)],
  readService: [(store) => store.readService("checkout", { ...scope, filter }, steps)],
  listIncompleteTraces: [(store) => store.listIncompleteTraces("checkout", scope, steps)],
  readSession: [(store) => store.readSession("s1")],
  readSessionsOfTrace: [(store) => store.readSessionsOfTrace(root.traceId)],
  measureRoutes: [(store) => store.measureRoutes(scope, { ...scope, filter })],
  sampleTraces: [(store) => store.sampleTraces({ ...scope, filter }, 10_000)],
  listReleases: [(store) => store.listReleases(scope)],
  findTypicalTraces: [
    (store) => store.findTypicalTraces({ ...like, isPageload: false, start: root.startTime }),
    (store) => store.findTypicalTraces({ ...like, isPageload: true, start: root.startTime }),
  ],
  measureFigures: [(store) => store.measureFigures({ ...scope, filter })],
  sampleViews: [(store) => store.sampleViews(scope, 10_000)],
  listLogs: [
    (store) => store.listLogs({ limit: 5 }),
    (store) => store.listLogs({ limit: 5, traceId: root.traceId, filter: parseLogFilter("hello level:info").tree }),
  ],
  overviewLogs: [(store) => store.overviewLogs(scope, Number(until / 1_000_000n))],
  countLogFacets: [(store) => store.countLogFacets(scope)],
  knownLogAttributes: [(store) => store.knownLogAttributes()],
  knownLogValues: [(store) => store.knownLogValues("service", "s")],
}

describe("on the tables of cluster.sql", () => {
  test.each(Object.entries(QUERIES))(
    "%s answers as on one server, and is planned over two shards",
    async (_, queries) => {
      for (const query of queries) {
        const known = proxy.explained.length
        expect(await query(stores.cluster)).toStrictEqual(await query(stores.server))
        const explained = proxy.explained.slice(known)
        expect(explained.filter(({ problem }) => problem !== undefined)).toEqual([])
      }
    },
  )

  test("most queries have a statement of their own that was planned", () => {
    expect(new Set(proxy.explained.map(({ sql }) => sql)).size).toBeGreaterThan(60)
  })

  test("a statement that would ask every shard for the rows of every other is found", async () => {
    const query = "EXPLAIN SELECT count() FROM otel_traces WHERE TraceId IN (SELECT TraceId FROM otel_traces)"
    await expect(wide().client.query({ query })).rejects.toMatchObject({ code: "288" })
  })

  test("a retained run is copied and removed", async () => {
    const copies = await stores.server.listCopies()
    expect(copies[0]).toMatchObject({ run: run.name })
    expect(await stores.cluster.listCopies()).toStrictEqual(copies)
    await stores.cluster.removeRun(run)
    expect(await stores.cluster.listRuns()).toStrictEqual([])
    await expect.poll(() => stores.cluster.listCopies()).toStrictEqual([])
  })
})
