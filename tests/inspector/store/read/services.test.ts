import { beforeAll, describe, expect, test } from "vitest"
import { callsOf, parseServiceQuery } from "#otel/inspector/queries/services/service-query.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "../events.ts"
import { ago, plus, service, span, spanId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

/** Services and calls from stored spans, against traces that are small enough to count by hand. */
const store = storeOfFile()
const MINUTE = 60_000

function timed(trace: number, id: number, ms: number, over: Partial<SpanRecord> = {}): SpanRecord {
  const base = span(trace, id, { startTime: ago(10 * MINUTE), ...over })
  return { ...base, endTime: plus(base.startTime, BigInt(ms) * 1_000_000n) }
}

const child = (of: number, name: string, over: Partial<SpanRecord> = {}): Partial<SpanRecord> => ({
  parentSpanId: spanId(of),
  resource: service(name),
  ...over,
})

/** A page that calls `web`, which calls `api` twice and queries within itself; `api` calls `db`. Trace `n` has ids from `10 n`. */
function visit(n: number, failed = false): SpanRecord[] {
  const id = 10 * n
  const status = failed ? ({ status: { code: "error", message: "" } } as const) : {}
  return [
    timed(n, id, 100, { kind: "internal", name: "/cart", resource: service("page") }),
    timed(n, id + 1, 80, child(id, "web", { name: "GET /cart", ...status })),
    timed(n, id + 2, 60, child(id + 1, "web", { kind: "internal", name: "render" })),
    timed(n, id + 3, 20, child(id + 2, "web", { kind: "client", name: "call api" })),
    timed(n, id + 4, 10, child(id + 3, "api", { name: "list" })),
    timed(n, id + 5, 30, child(id + 2, "api", { name: "price" })),
    timed(n, id + 6, 4, child(id + 5, "db", { kind: "internal", name: "SELECT" })),
  ]
}

const read = (query = "") => {
  const { scope, steps } = parseServiceQuery(new URLSearchParams(query), Date.now())
  return {
    list: () => store().listServices(scope, steps),
    of: (name: string) => store().readService(name, scope, steps),
    incomplete: (name: string) => store().listIncompleteTraces(name, scope, steps),
  }
}

beforeAll(async () => {
  const visits = [visit(1), visit(2), visit(3, true), visit(4)].flat()
  await store().insertSpans(visits, "visits")
  // Both protocols may send a span: it counts once.
  await store().insertSpans(
    visits.map((record) => ({ ...record, source: "sentry" as const })),
    "visits again",
  )
  const reported = error(70, 70, { traceId: visit(4)[4]!.traceId, service: "api", time: ago(10 * MINUTE) })
  await store().insertErrors([reported], "errors")
})

describe("the services of a window", () => {
  test("have their entries counted once, with failures, percentiles and a trend that adds up", async () => {
    const { services, total, isCut } = await read().list()
    const figures = services.map(({ service: name, count, failed, p50 }) => [name, count, failed, p50])
    expect(figures.toSorted()).toEqual([
      ["api", 8, 2, 30],
      ["db", 4, 0, 4],
      ["page", 4, 0, 100],
      ["web", 4, 1, 80],
    ])
    expect([total, isCut]).toEqual([4, false])
    for (const { bars, count } of services) expect(bars.reduce((sum, bar) => sum + bar, 0)).toBe(count)
  })

  test("have the calls between them by the parents of their entries, and none within a service", async () => {
    const list = await read().list()
    expect(list.calls.map(({ caller, callee, count, failed }) => `${caller} → ${callee} ${count} ${failed}`)).toEqual([
      "web → api 8 2",
      "api → db 4 0",
      "page → web 4 1",
    ])
    expect(callsOf(list, "api")).toMatchObject({ callers: [{ caller: "web" }], callees: [{ callee: "db" }] })
  })

  test("count only spans of traces that match the filter, and of services that are not hidden", async () => {
    const { list } = read("q=status:error")
    expect((await list()).services.map(({ service: name, count }) => `${name} ${count}`)).toEqual([
      "api 2",
      "db 1",
      "page 1",
      "web 1",
    ])
    const { scope, steps } = parseServiceQuery(new URLSearchParams(), Date.now())
    const shown = await store().listServices({ ...scope, withoutServices: ["page"] }, steps)
    expect(shown.services.map(({ service: name }) => name).toSorted()).toEqual(["api", "db", "web"])
    expect(shown.calls.map(({ caller }) => caller)).not.toContain("page")
  })

  test("are empty where the window has no spans", async () => {
    expect(await read("since=5m").list()).toMatchObject({ services: [], calls: [], total: 0 })
  })
})

describe("a service in detail", () => {
  test("has its operations, its trend, and its slowest and latest failed entries with their spans", async () => {
    const api = await read().of("api")
    expect(api.operations).toEqual([
      { name: "list", count: 4, failed: 1, p50: 10, p95: 10 },
      { name: "price", count: 4, failed: 1, p50: 30, p95: 30 },
    ])
    expect(api.trend.count.reduce((sum, count) => sum + count, 0)).toBe(8)
    expect(api.trend.failed.reduce((sum, count) => sum + count, 0)).toBe(2)
    expect(api.slowest).toHaveLength(4)
    expect(api.slowest[0]).toMatchObject({ name: "price", value: 30 })
    expect(api.failing.map(({ traceId }) => traceId)).toEqual([visit(4)[0]!.traceId])
    const web = await read().of("web")
    expect(web.failing).toMatchObject([{ spanId: spanId(31), name: "GET /cart", failed: true }])
  })
})

test("a parent that is not stored makes an entry without a caller and its trace incomplete, and a server span within its service is an entry", async () => {
  await store().insertSpans(
    [
      timed(8, 80, 5, child(0x999, "orphan", { kind: "internal" })),
      timed(8, 81, 5, child(80, "orphan", { kind: "internal" })),
      timed(8, 82, 5, child(81, "orphan", { kind: "server" })),
    ],
    "orphans",
  )
  const { services, calls } = await read("q=service:orphan").list()
  expect(services).toMatchObject([{ service: "orphan", count: 2, traces: 1, tracesWithMissingParents: 1 }])
  const { services: all } = await read("q=service:web").list()
  expect(all.map((one) => `${one.service} ${one.tracesWithMissingParents} of ${one.traces}`).toSorted()).toEqual([
    "api 0 of 4",
    "db 0 of 4",
    "page 0 of 4",
    "web 0 of 4",
  ])
  expect(calls).toMatchObject([{ caller: "orphan", callee: "orphan", count: 1 }])
  expect(await read().incomplete("orphan")).toMatchObject([{ spanId: spanId(80), value: 5 }])
  expect(await read().incomplete("api")).toEqual([])
})

test("a page load is not called by the server that rendered it, and web vitals are no entries", async () => {
  const op = (name: string) => ({ attributes: new Map([["sentry.op", name]]) })
  await store().insertSpans(
    [
      timed(11, 110, 30, { kind: "server", name: "GET /late", resource: service("renderer") }),
      timed(11, 111, 90, child(110, "visitor", { kind: "internal", name: "/late", ...op("pageload") })),
      timed(11, 112, 0, child(0x998, "visitor", { kind: "internal", name: "browser.web_vital.cls" })),
      timed(11, 113, 20, child(111, "visitor", { kind: "client", name: "GET /api" })),
      timed(11, 114, 10, child(113, "renderer", { kind: "server", name: "GET /api" })),
    ],
    "visitor",
  )
  const { services, calls } = await read("q=service:visitor").list()
  expect(services.map(({ service: name, count, p50 }) => [name, count, p50])).toEqual([
    ["renderer", 2, 30],
    ["visitor", 1, 90],
  ])
  expect(calls).toMatchObject([{ caller: "visitor", callee: "renderer", count: 1 }])
})

test("counts the newest steps of a window with too many spans, and says from when", async () => {
  const { scope, steps } = parseServiceQuery(new URLSearchParams("since=1h"), Date.now())
  const late = timed(9, 90, 5, { startTime: ago(2 * MINUTE), resource: service("late") })
  await store().insertSpans([late], "late")
  const { services, countedFrom, isCut } = await store().listServices(scope, steps, 1)
  expect(services).toMatchObject([{ service: "late", count: 1 }])
  expect(isCut).toBe(true)
  expect(countedFrom).toBeLessThanOrEqual(late.startTime)
  expect(countedFrom).toBeGreaterThan(ago(10 * MINUTE))
})
