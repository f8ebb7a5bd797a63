import { beforeAll, describe, expect, test } from "vitest"
import { withChanges } from "#otel/inspector/queries/compare/route-changes.ts"
import { compareScopes, type ComparedPath, type ComparedRoute } from "#otel/inspector/queries/compare/compare.ts"
import { parseCompareQuery } from "#otel/inspector/queries/compare/compare-query.ts"
import { sortRoutes } from "#otel/inspector/queries/routes/route-query.ts"
import type { RouteSummary } from "#otel/inspector/queries/routes/route-reader.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "../events.ts"
import { ago, plus, span, spanId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

/** Comparisons of stored traces with figures that can be computed by hand. */
const store = storeOfFile()
const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Visit {
  readonly release: string
  readonly route?: string
  readonly ms: number
  readonly queries?: number
  readonly failed?: boolean
}

const resource = (service: string, release: string): SpanRecord["resource"] => ({
  attributes: new Map([
    ["service.name", service],
    ["service.version", release],
  ]),
  schemaUrl: "",
})

function timed(trace: number, id: number, ms: number, over: Partial<SpanRecord>): SpanRecord {
  const base = span(trace, id, { startTime: ago(10 * MINUTE), ...over })
  return { ...base, endTime: plus(base.startTime, BigInt(ms * 1_000) * 1_000n) }
}

/** A request of `web` that renders with some queries of 2 ms each. Trace `n` has ids from `100 n`. */
function visit(n: number, { release, route = "/cart", ms, queries = 1, failed = false }: Visit): SpanRecord[] {
  const id = 100 * n
  const of = { resource: resource("web", release) }
  const status = failed ? ({ status: { code: "error", message: "" } } as const) : {}
  return [
    timed(n, id, ms, { ...of, name: `GET ${route}`, attributes: new Map([["http.route", route]]), ...status }),
    timed(n, id + 1, ms / 2, { ...of, name: "render", kind: "internal", parentSpanId: spanId(id) }),
    ...Array.from({ length: queries }, (_, query) =>
      timed(n, id + 2 + query, 2, { ...of, name: "SELECT", kind: "client", parentSpanId: spanId(id + 1) }),
    ),
  ]
}

const compare = (query: string, sampleSpans?: number) => {
  const { a, b } = parseCompareQuery(new URLSearchParams(query), Date.now())
  return compareScopes(store(), a.scope, b.scope, sampleSpans)
}

const BOTH = "a=release:1&b=release:2"
const routeOf = (rows: readonly ComparedRoute[], name: string) => rows.find(({ route }) => route === name)
const pathOf = (rows: readonly ComparedPath[], text: string) =>
  rows.find(({ path }) => path.map(({ name }) => name).join(" › ") === text)

beforeAll(async () => {
  const visits: SpanRecord[] = []
  let trace = 0
  const add = (count: number, of: (index: number) => Visit) => {
    for (let index = 0; index < count; index++) visits.push(...visit((trace += 1), of(index)))
  }
  // Durations of 101 to 120 ms before, and of 151 to 170 ms after, with five queries in place of one.
  add(20, (index) => ({ release: "1", ms: 101 + index }))
  add(20, (index) => ({ release: "2", ms: 151 + index, queries: 5 }))
  // As fast before as after, and one of forty failed in each.
  add(40, (index) => ({ release: "1", route: "/steady", ms: 50 + index, failed: index === 0 }))
  add(40, (index) => ({ release: "2", route: "/steady", ms: 52 + index, failed: index === 0 }))
  // Half of them fail after.
  add(40, () => ({ release: "1", route: "/pay", ms: 30 }))
  add(40, (index) => ({ release: "2", route: "/pay", ms: 30, failed: index % 2 === 0 }))
  add(3, () => ({ release: "1", route: "/rare", ms: 10 }))
  add(3, () => ({ release: "2", route: "/rare", ms: 1_000 }))
  add(12, () => ({ release: "1", route: "/old", ms: 20 }))
  add(12, () => ({ release: "2", route: "/new", ms: 20 }))
  await store().insertSpans(visits, "visits")
  // Both protocols may send a span: it counts once.
  await store().insertSpans(
    visits.map((record) => ({ ...record, source: "sentry" as const })),
    "visits again",
  )
})

describe("routes of two filters", () => {
  test("have counts, percentiles and failures of each side, and what is beyond chance", async () => {
    const { routes } = await compare(BOTH)
    expect(routeOf(routes, "/cart")).toEqual({
      route: "/cart",
      kind: "request",
      a: { count: 20, failed: 0, p50: 111, p95: 120 },
      b: { count: 20, failed: 0, p50: 161, p95: 170 },
      difference: {
        count: 0,
        // 3 × √2 × (116 − 106) / √20 = 9.5 ms
        p50: { value: 50, verdict: "higher" },
        p95: { value: 50, verdict: "too_few" },
        failedShare: { value: 0, verdict: "within_noise" },
      },
      impactMs: 1_000,
    })
  })

  test("call a difference noise where chance makes one as large, and too few where nothing can be said", async () => {
    const { routes } = await compare(BOTH)
    expect(routeOf(routes, "/steady")?.difference).toMatchObject({
      p50: { value: 2, verdict: "within_noise" },
      failedShare: { value: 0, verdict: "within_noise" },
    })
    expect(routeOf(routes, "/pay")?.difference).toMatchObject({
      p50: { value: 0, verdict: "within_noise" },
      // 3 × √(¼ × ¾ × 2/40) = 0.29
      failedShare: { value: 0.5, verdict: "higher" },
    })
    expect(routeOf(routes, "/rare")?.difference).toMatchObject({
      p50: { value: 990, verdict: "too_few" },
      failedShare: { verdict: "too_few" },
    })
  })

  test("are marked where one side alone has them", async () => {
    const { routes } = await compare(BOTH)
    expect(routeOf(routes, "/old")).toMatchObject({ a: { count: 12 }, b: null, difference: null, impactMs: 240 })
    expect(routeOf(routes, "/new")).toMatchObject({ a: null, b: { count: 12 }, difference: null })
  })

  test("begin with what differs beyond chance, the largest impact first", async () => {
    const { routes, routeCount } = await compare(BOTH)
    expect(routes.map(({ route }) => route)).toEqual(["/cart", "/new", "/old", "/pay", "/rare", "/steady"])
    expect(routeCount).toBe(6)
  })

  test("count a request as failed by an error of its service", async () => {
    const [first] = visit(1, { release: "1", ms: 1 })
    await store().insertErrors(
      [error(90, 90, { traceId: first!.traceId, time: ago(10 * MINUTE), service: "web" })],
      "errors",
    )
    const { routes } = await compare(BOTH)
    expect(routeOf(routes, "/cart")?.a).toMatchObject({ count: 20, failed: 1 })
  })
})

describe("span paths of two filters", () => {
  test("are aligned by the services and names of their ancestors, with counts for each trace", async () => {
    const { spanPaths, a, b } = await compare(BOTH)
    expect([a, b]).toEqual([
      { traces: 115, sampled: 115 },
      { traces: 115, sampled: 115 },
    ])
    const select = pathOf(spanPaths, "GET /cart › render › SELECT")
    expect(select).toMatchObject({
      path: [{ service: "web" }, { service: "web" }, { service: "web", name: "SELECT" }],
      a: { count: 20, failed: 0, p50: 2, p95: 2 },
      b: { count: 100, failed: 0, p50: 2, p95: 2 },
      difference: { count: 80, p50: { value: 0, verdict: "within_noise" } },
      perTrace: { a: 20 / 115, b: 100 / 115, difference: { verdict: "higher" } },
    })
    // 100 × 2 ms in 115 traces, less 20 × 2 ms.
    expect(select?.impactMs).toBeCloseTo(160 / 115, 9)
    expect(pathOf(spanPaths, "GET /old › render")).toMatchObject({ a: { count: 12 }, b: null, difference: null })
  })

  test("are measured in a sample of whole traces where there are too many spans, the same one each time", async () => {
    const { a, spanPaths } = await compare(BOTH, 60)
    expect(a.traces).toBe(115)
    // A trace of release 1 has three spans, and each of them two rows.
    expect(a.sampled).toBe(10)
    expect(spanPaths.filter(({ path }) => path.length === 1).reduce((sum, row) => sum + (row.a?.count ?? 0), 0)).toBe(
      10,
    )
    expect((await compare(BOTH, 60)).spanPaths).toEqual(spanPaths)
  })
})

describe("windows", () => {
  test("may differ: a window is compared with the one before it", async () => {
    await store().insertSpans(
      [
        ...visit(500, { release: "3", route: "/window", ms: 40 }).map((one) => moved(one, 30 * MINUTE)),
        ...visit(501, { release: "3", route: "/window", ms: 60 }).map((one) => moved(one, 5 * MINUTE)),
        ...visit(502, { release: "3", route: "/window", ms: 60 }).map((one) => moved(one, 5 * MINUTE)),
      ],
      "windows",
    )
    const filters = "a=release:3&b=release:3"
    const { routes } = await compare(`${filters}&aSince=40m&aUntil=20m&bSince=20m`)
    expect(routes).toMatchObject([{ route: "/window", a: { count: 1, p50: 40 }, b: { count: 2, p50: 60 } }])
    expect(await compare(`${filters}&since=2m`)).toMatchObject({ routes: [], spanPaths: [], a: { traces: 0 } })
  })

  test("without a filter have all spans of their time, without those of hidden services", async () => {
    const { a, b } = parseCompareQuery(new URLSearchParams("aSince=40m&aUntil=20m&bSince=20m"), Date.now())
    const shown = await compareScopes(store(), a.scope, b.scope)
    expect(routeOf(shown.routes, "/window")).toMatchObject({ a: { count: 1 }, b: { count: 2 } })
    const hidden = { withoutServices: ["web"] }
    expect(await compareScopes(store(), { ...a.scope, ...hidden }, { ...b.scope, ...hidden })).toMatchObject({
      routes: [],
      spanPaths: [],
      b: { traces: 0 },
    })
  })
})

function moved(record: SpanRecord, agoMs: number): SpanRecord {
  const startTime = ago(agoMs)
  return { ...record, startTime, endTime: plus(startTime, record.endTime - record.startTime) }
}

test("releases have the times of their first and last span in a window, the latest first span first", async () => {
  const all = await store().listReleases({})
  expect(all.map(({ service, release }) => `${service} ${release}`).toSorted()).toEqual(["web 1", "web 2", "web 3"])
  const third = all.at(-1)!
  expect(third.release).toBe("3")
  expect(third.last - third.first).toBeGreaterThan(24n * 60_000_000_000n)
  const late = await store().listReleases({ since: ago(7 * MINUTE) })
  expect(late.map(({ release }) => release)).toEqual(["3"])
  expect(late[0]!.first).toBeGreaterThan(third.first)
})

describe("the change of a route's median", () => {
  const list = (routes: readonly RouteSummary[]) => sortRoutes(routes, "change", "request").map(({ route }) => route)

  test("is that against the window of equal length before, and sorts what is slower first and what is faster last", async () => {
    const visits: SpanRecord[] = []
    const add = (route: string, agoMs: number, ms: number, count = 12) => {
      for (let index = 0; index < count; index++) {
        const [first] = visit(2_000 + visits.length, { release: "9", route, ms: ms + index })
        visits.push(moved(first!, agoMs))
      }
    }
    for (const [route, before, after] of [
      ["/change/slower", 100, 200],
      ["/change/faster", 200, 100],
      ["/change/same", 100, 101],
    ] as const) {
      add(route, 90 * HOUR, before)
      add(route, 80 * HOUR, after)
    }
    add("/change/new", 80 * HOUR, 100)
    await store().insertSpans(visits, "changes")
    const scope = { from: ago(85 * HOUR), until: ago(75 * HOUR) }
    const { routes } = await withChanges(store(), await store().listRoutes(scope), scope)
    const changes = Object.fromEntries(routes.map(({ route, times }) => [route, times.request?.p50Change]))
    expect(changes).toEqual({
      "/change/slower": { value: 100, verdict: "higher" },
      "/change/faster": { value: -100, verdict: "lower" },
      "/change/same": { value: 1, verdict: "within_noise" },
      "/change/new": undefined,
    })
    expect(list(routes)).toEqual(["/change/slower", "/change/same", "/change/faster", "/change/new"])
  })
})
