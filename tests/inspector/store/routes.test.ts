import { describe, expect, test } from "vitest"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import type { RouteKind } from "#otel/inspector/queries/routes/route-reader.ts"
import type { Attributes } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "./events.ts"
import { ago, plus, span, spanId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()
const MINUTE = 60_000
const now = Date.now()
const steps = stepsOf(now - 60 * MINUTE, now)
const scope = { from: ago(60 * MINUTE), until: ago(-1_000) }

/** A page's root span as our SDK and Sentry's send it, `ms` long. */
function root(
  id: number,
  op: string,
  route: string,
  ms: number,
  more: Record<string, string | number> = {},
): SpanRecord {
  const startTime = ago(10 * MINUTE)
  return timed(span(id, id, { name: route, startTime }), ms, { "sentry.op": op, "http.route": route, ...more })
}

function timed(base: SpanRecord, ms: number, attributes: Record<string, string | number>): SpanRecord {
  return {
    ...base,
    endTime: plus(base.startTime, BigInt(ms) * 1_000_000n),
    attributes: new Map(Object.entries(attributes)) as Attributes,
  }
}

describe("a route", () => {
  test("has separate counts and percentiles of page loads, navigations and requests", async () => {
    const loads = Array.from({ length: 100 }, (_, index) => root(100 + index, "pageload", "/items/[id]", index + 1))
    const request = timed(span(300, 300, { name: "GET /items/[id]", startTime: ago(MINUTE) }), 7, {
      "http.route": "/items/[id]",
    })
    await store().insertSpans([...loads, root(301, "navigation", "/items/[id]", 40), request], "counted")
    await store().insertSpans(loads, "counted again")
    const { routes, total } = await store().listRoutes(scope)
    const route = routes.find((one) => one.route === "/items/[id]")
    expect(route?.times.load).toMatchObject({ count: 100, failed: 0, p75: 76, p95: 96, p99: 100 })
    expect(route?.times.navigation).toMatchObject({ count: 1, p50: 40 })
    expect(route?.times.request).toMatchObject({ count: 1, p50: 7 })
    expect(total).toBe(routes.length)
  })

  test("fails if its own span failed, or its trace has an error", async () => {
    const failed = { ...root(400, "pageload", "/fails", 5), status: { code: "error", message: "" } } as const
    await store().insertSpans(
      [failed, root(401, "pageload", "/fails", 5), root(402, "pageload", "/fails", 5)],
      "failing",
    )
    await store().insertErrors(
      [
        {
          eventId: "e".repeat(32),
          issueId: "f".repeat(32),
          time: ago(9 * MINUTE),
          traceId: root(401, "pageload", "/fails", 5).traceId,
          spanId: spanId(401),
          level: "error",
          type: "E",
          value: "",
          exceptions: [],
          transaction: "/fails",
          service: "shop",
          environment: "",
          release: "",
          tags: new Map(),
          breadcrumbs: "",
          request: "",
          context: "",
          fingerprint: [],
          source: "sentry",
        },
      ],
      "failing",
    )
    const detail = await store().readRoute("/fails", scope, steps)
    expect(detail?.times.load).toMatchObject({ count: 3, failed: 2 })
    expect(detail?.trend.failed.reduce((sum, count) => sum + count, 0)).toBe(2)
  })

  test("has a request fail by an error of its service, and not by one of the page that sent it", async () => {
    const request = (id: number) =>
      timed(span(id, id, { name: "GET /asked", startTime: ago(MINUTE) }), 7, { "http.route": "/asked" })
    const requests = [request(410), request(411), request(412)]
    const reported = (index: number, service: string) =>
      error(410 + index, 410 + index, { traceId: requests[index]!.traceId, time: ago(MINUTE), service })
    await store().insertSpans(requests, "asked")
    await store().insertErrors([reported(0, "shop"), reported(1, "shop-browser")], "asked")
    const { routes } = await store().listRoutes(scope)
    expect(routes.find(({ route }) => route === "/asked")?.times.request).toMatchObject({ count: 3, failed: 1 })
  })

  test("named after its URL counts as unmatched, and a span without a route does not count", async () => {
    await store().insertSpans(
      [
        timed(span(500, 500, { name: "/u/anna", startTime: ago(MINUTE) }), 5, {
          "sentry.op": "pageload",
          "sentry.source": "url",
        }),
        timed(span(501, 501, { name: "GET", startTime: ago(MINUTE) }), 5, {}),
      ],
      "unnamed",
    )
    const routes = (await store().listRoutes(scope)).routes.map(({ route }) => route)
    expect(routes).toContain("unmatched")
    expect(routes).not.toContain("/u/anna")
    expect(routes).not.toContain("GET")
  })

  test("has the latest value of each vital of its pages, whatever the protocol", async () => {
    const ours = root(600, "pageload", "/vital", 900, {
      "browser.web_vital.lcp.value": 1_000,
      "browser.web_vital.cls.value": 0,
    })
    const settled = timed(
      span(600, 601, { name: "browser.web_vital.lcp", kind: "internal", parentSpanId: spanId(600) }),
      0,
      {
        "browser.web_vital.lcp.value": 3_000,
      },
    )
    const sentrys = root(610, "pageload", "/vital", 900, {
      "sentry.measurement.lcp": 5_000,
      "sentry.measurement.fp": 3,
    })
    await store().insertSpans(
      [ours, { ...settled, startTime: ago(9 * MINUTE), endTime: ago(9 * MINUTE) }, sentrys],
      "vitals",
    )
    const detail = await store().readRoute("/vital", scope, steps)
    expect(detail?.vitals.lcp).toMatchObject({ count: 2, good: 0, needsImprovement: 1, poor: 1, p75: 5_000 })
    expect(detail?.vitals.cls).toMatchObject({ count: 1, good: 1, p75: 0 })
    expect(detail?.vitals.inp).toBeUndefined()
    const listed = (await store().listRoutes(scope)).routes.find(({ route }) => route === "/vital")
    expect(listed?.vitals.lcp).toEqual({ count: 2, p75: 5_000 })
  })

  test("has its own vitals and its own errors where a trace has several page loads, as that of a test has", async () => {
    const page = (id: number, minutes: number, lcp: number): SpanRecord[] => {
      const startTime = ago(minutes * MINUTE)
      const load = span(650, id, { name: `/visited-${id}`, startTime, parentSpanId: spanId(1) })
      const over = { kind: "internal", startTime, parentSpanId: spanId(id) } as const
      const vital = span(650, id + 1, { name: "browser.web_vital.lcp", ...over })
      return [
        timed(load, 900, {
          "sentry.op": "pageload",
          "http.route": `/visited-${id}`,
          "browser.web_vital.cls.value": 0.2,
        }),
        timed(vital, lcp, { "browser.web_vital.lcp.value": lcp }),
      ]
    }
    await store().insertSpans([...page(650, 9, 1_000), ...page(660, 8, 3_000), ...page(670, 7, 5_000)], "visited")
    const reported = error(650, 650, {
      traceId: page(650, 9, 0)[0]!.traceId,
      service: "api",
      time: ago(8 * MINUTE - 5),
    })
    await store().insertErrors([reported], "visited")
    const { routes } = await store().listRoutes(scope)
    const listed = [650, 660, 670].map((id) => routes.find(({ route }) => route === `/visited-${id}`))
    expect(listed.map((one) => [one?.times.load?.failed, one?.vitals.lcp, one?.vitals.cls?.p75])).toEqual([
      [0, { count: 1, p75: 1_000 }, 0.2],
      [1, { count: 1, p75: 3_000 }, 0.2],
      [0, { count: 1, p75: 5_000 }, 0.2],
    ])
    for (const [id, lcp, failed] of [
      [650, 1_000, 0],
      [660, 3_000, 1],
    ] as const) {
      const detail = await store().readRoute(`/visited-${id}`, scope, steps)
      expect(detail?.vitals).toMatchObject({ lcp: { count: 1, p75: lcp }, cls: { count: 1, p75: 0.2 } })
      expect([detail?.times.load?.failed, detail?.slowest[0]?.failed]).toEqual([failed, failed === 1])
    }
  })

  test("in detail has its distribution, its slowest traces and its child spans", async () => {
    const roots = [10, 12, 200].map((ms, index) => root(700 + index, "navigation", "/detail", ms))
    const children = roots.flatMap((parent, index) =>
      [1, 2].map((n) =>
        timed(
          {
            ...parent,
            spanId: spanId(7_000 + index * 10 + n),
            parentSpanId: parent.spanId,
            name: "SELECT items",
            kind: "client",
          },
          4,
          {},
        ),
      ),
    )
    await store().insertSpans([...roots, ...children], "detail")
    const detail = await store().readRoute("/detail", scope, steps)
    expect(detail).toMatchObject({ kind: "navigation", childrenOf: 3 })
    expect(detail?.distribution.edges).toEqual([10, 15, 20, 30, 50, 70, 100, 150, 200, 300])
    expect(detail?.distribution.counts).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 1])
    expect(detail?.slowest.map(({ value }) => value)).toEqual([200, 12, 10])
    expect(detail?.children).toEqual([
      { name: "SELECT items", service: "shop", count: 6, traces: 3, p50: 4, total: 24 },
    ])
    expect(detail?.trend.count.reduce((sum, count) => sum + count, 0)).toBe(3)
  })

  test("has the child spans of its own page where a trace has several page loads, as that of a test has", async () => {
    const at = (id: number, parent: number, name: string, attributes: Record<string, string> = {}) =>
      timed(
        span(800, id, { name, kind: "internal", parentSpanId: spanId(parent), startTime: ago(9 * MINUTE) }),
        4,
        attributes,
      )
    const visit = (id: number, path: string) => [
      at(id, 800, `goto ${path}`),
      { ...at(id + 1, id, `GET ${path}`, { "http.route": path }), kind: "server" as const },
      at(id + 2, id + 1, `render ${path}`),
      at(id + 3, id + 1, path, { "sentry.op": "pageload", "http.route": path }),
      at(id + 4, id + 3, "app.js"),
    ]
    const whole = timed(span(800, 800, { name: "cart › opens", kind: "internal" }), 4, {})
    const call = { ...at(850, 800, "GET /called", { "http.route": "/called" }), kind: "server" as const }
    const test = [
      whole,
      at(801, 800, "click"),
      call,
      at(851, 850, "SELECT called"),
      ...visit(810, "/one"),
      ...visit(820, "/two"),
    ]
    await store().insertSpans(test, "two pages")
    const childrenOf = async (route: string, kind: RouteKind) =>
      (await store().readRoute(route, scope, steps, kind))?.children.map(({ name, count, traces }) => [
        name,
        count,
        traces,
      ])
    expect(await childrenOf("/one", "load")).toEqual([
      ["GET /one", 1, 1],
      ["app.js", 1, 1],
      ["goto /one", 1, 1],
      ["render /one", 1, 1],
    ])
    expect(await childrenOf("/two", "request")).toEqual([
      ["/two", 1, 1],
      ["app.js", 1, 1],
      ["goto /two", 1, 1],
      ["render /two", 1, 1],
    ])
    expect(await childrenOf("/called", "request")).toEqual([["SELECT called", 1, 1]])
  })

  test("leaves out traces of several page loads with more spans than the limit, and reports how many it counted", async () => {
    const latest = ago(1_000)
    const pages = (trace: number, spans: number) =>
      Array.from({ length: spans }, (_, index) => {
        const id = trace * 100_000 + index
        const over = {
          name: index > 1 ? "SELECT many" : "/many",
          kind: "client",
          startTime: plus(latest, -BigInt(trace)),
        } as const
        const parentSpanId = index > 1 ? spanId(trace * 100_000) : undefined
        return timed(
          span(trace, id, { ...over, parentSpanId }),
          4,
          index > 1 ? {} : { "sentry.op": "pageload", "http.route": "/many" },
        )
      })
    await store().insertSpans([...pages(871, 9_000), ...pages(872, 1_001), ...pages(873, 990)], "many")
    const detail = await store().readRoute("/many", { ...scope, until: ago(-1_000) }, steps)
    expect(detail).toMatchObject({
      childrenOf: 2,
      children: [{ name: "SELECT many", count: 8_998 + 988, traces: 2 }],
    })
  })

  test("without measurements in the time window is unknown", async () => {
    expect(await store().readRoute("/detail", { ...scope, until: ago(20 * MINUTE) }, steps)).toBeUndefined()
    expect(await store().readRoute("'; DROP TABLE pagespan_routes --", scope, steps)).toBeUndefined()
  })
})
