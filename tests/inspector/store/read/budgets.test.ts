import { beforeAll, describe, expect, test } from "vitest"
import { parseBudgetRequest } from "#otel/inspector/queries/budgets/budget-request.ts"
import { judgeBudgets } from "#otel/inspector/queries/budgets/budgets.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "../events.ts"
import { ago, plus, service, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

/** Budgets over stored traces with figures that can be computed by hand. */
const store = storeOfFile()
const HOUR = 3_600_000

function timed(
  trace: number,
  id: number,
  ms: number,
  attributes: Record<string, AttributeValue>,
  over: Partial<SpanRecord> = {},
) {
  const base = span(trace, id, { startTime: ago(HOUR), attributes: new Map(Object.entries(attributes)), ...over })
  return { ...base, endTime: plus(base.startTime, BigInt(ms) * 1_000_000n) }
}

/** A page load with the request that rendered it, and an API request of the page with two queries. */
function load(n: number, ms: number): SpanRecord[] {
  const id = 100 * n
  const child = (parent: number): Partial<SpanRecord> => ({ parentSpanId: spanId(parent), kind: "client" })
  return [
    timed(n, id, 30, { "http.route": "/cart" }, { name: "GET /cart" }),
    timed(n, id + 1, 2, {}, { name: "SELECT a", ...child(id) }),
    timed(
      n,
      id + 2,
      ms,
      { "http.route": "/cart", "sentry.op": "pageload", "browser.web_vital.lcp.value": ms / 2 },
      { name: "/cart", ...child(id), kind: "internal" },
    ),
    timed(
      n,
      id + 3,
      5,
      { "sentry.op": "resource.script", "http.response.size": "1000" },
      { name: "/a.js", ...child(id + 2), kind: "internal" },
    ),
    timed(n, id + 4, 9, { "http.request.method": "GET" }, { name: "GET /api/rates", ...child(id + 2) }),
    timed(n, id + 5, 8, { "http.route": "/api/rates" }, { name: "GET /api/rates", ...child(id + 4), kind: "server" }),
    timed(n, id + 6, 2, {}, { name: "SELECT b", ...child(id + 5) }),
    timed(n, id + 7, 2, {}, { name: "SELECT b", ...child(id + 5) }),
  ]
}

const judged = async (budgets: object, more: object = {}, internalServices: readonly string[] = []) => {
  const nowMs = Date.now()
  const request = parseBudgetRequest({ budgets, ...more }, nowMs, { internalServices })
  return judgeBudgets(store(), request.budgets, request.scope, nowMs)
}
const lines = ({ results }: Awaited<ReturnType<typeof judged>>) =>
  results.map(({ route, kind, metric, span: name, stat, value, samples, verdict }) =>
    [verdict, route, kind, metric, name, stat, value, samples].filter((part) => part !== null).join(" "),
  )

beforeAll(async () => {
  await store().insertSpans(Array.from({ length: 10 }, (_, index) => load(index + 1, 100 + index)).flat(), "loads")
  await store().insertErrors([error(1, 1, { traceId: traceId(3), time: ago(HOUR) })], "errors")
  const drop = { stage: "ingest", sender: "inspector", sample: "" } as const
  await store().insertDrops(
    [
      { ...drop, time: ago(2 * HOUR), reason: "malformed", category: "span", count: 50 },
      { ...drop, time: ago(HOUR / 2), reason: "limit_attributes", category: "default", count: 2 },
      { ...drop, time: ago(HOUR / 2), reason: "sample_rate", category: "transaction", count: 9 },
    ],
    "drops",
  )
})

describe("budgets", () => {
  test("measure page loads with their vitals, requests, bytes, spans and errors", async () => {
    const limits = {
      duration: { p50: "1s", max: "108ms" },
      LCP: { p75: "1s" },
      CLS: { p75: 0.1 },
      requests: { max: 2 },
      bytes: { p95: "1kB" },
      spans: { "SELECT *": { max: 2 } },
      errors: { max: 0, share: "10%" },
    }
    const report = await judged({ routes: { "/cart": limits } })
    expect(lines(report)).toEqual([
      "fail /cart load duration max 109 10",
      "fail /cart load spans SELECT * max 3 10",
      "fail /cart load errors max 1 10",
      "undecided /cart load CLS p75 0",
      "pass /cart load duration p50 105 10",
      "pass /cart load LCP p75 53.5 10",
      "pass /cart load requests max 2 10",
      "pass /cart load bytes p95 1000 10",
      "pass /cart load errors share 0.1 10",
    ])
    expect(report.verdict).toBe("fail")
    expect(report.results[0]!.traceId).toBe(traceId(10))
  })

  test("measure requests on their own: what is below them, without the page that they rendered", async () => {
    const spans = { "SELECT *": { max: 0 } }
    const report = await judged({ routes: { "/cart": { of: "request", spans }, "/api/*": { spans } } })
    expect(lines(report)).toEqual([
      "fail /api/rates request spans SELECT * max 2 10",
      "fail /cart request spans SELECT * max 1 10",
    ])
  })

  test("apply the most specific key to each figure of a route, and say where a key measures nothing", async () => {
    const routes = {
      "*": { duration: { max: "1us" }, errors: { share: "100%" } },
      "/c*": { duration: { max: "2us" } },
      "/cart": { duration: { max: "3s" } },
      "/gone": { duration: { max: "1s" } },
    }
    const report = await judged({ routes })
    expect(report.results.map(({ verdict, route, metric, limit }) => `${verdict} ${route} ${metric} ${limit}`)).toEqual(
      [
        "fail /api/rates duration 1us",
        "undecided /gone duration 1s",
        "pass /api/rates errors 100%",
        "pass /cart duration 3s",
        "pass /cart errors 100%",
      ],
    )
  })

  test.each([
    ["of a kind that a route does not have leave the route to a wider key, and say that they measure nothing", "/c*"],
    ["of one kind leave the other kinds of a route to a wider key", "/cart"],
  ])("%s", async (_, route) => {
    const routes = { "*": { duration: { max: "1us" } }, [route]: { of: "navigation", duration: { max: "9s" } } }
    const { results } = await judged({ routes })
    expect(results.map(({ verdict, route, kind, limit }) => `${verdict} ${route} ${kind} ${limit}`).toSorted()).toEqual(
      ["fail /api/rates request 1us", "fail /cart load 1us", `undecided ${route} navigation 9s`],
    )
  })

  test("count the drops since the first measured trace, without the reasons that are excepted", async () => {
    expect(lines(await judged({ dropped: { max: 10 } }))).toEqual(["fail dropped max 11 11"])
    expect(lines(await judged({ dropped: { max: 2, except: ["sample_rate"] } }))).toEqual(["pass dropped max 2 2"])
    expect((await judged({ dropped: { max: 0 } })).results[0]!.reason).toMatch(/limit_attributes|sample_rate/)
  })

  test("measure the traces of the filter, without one all but those of the baseline, and the baseline itself where it is the filter", async () => {
    const one = { filter: `trace:${traceId(4)}` }
    expect(lines(await judged({ routes: { "/cart": { duration: { max: "1s" } } } }, one))).toEqual([
      "pass /cart load duration max 103 1",
    ])
    const baseline = `trace:${traceId(10)}`
    const relative = await judged({ baseline, routes: { "/cart": { duration: { max: "1s", p50: "+10%" } } } })
    expect(lines(relative)).toEqual(["undecided /cart load duration p50 104 9", "pass /cart load duration max 108 9"])
    const itself = await judged(
      { baseline, routes: { "/cart": { duration: { max: "1s", p50: "+10%" } } } },
      { filter: baseline },
    )
    expect(lines(itself)).toEqual(["undecided /cart load duration p50 109 1", "pass /cart load duration max 109 1"])
    const own = await judged({ routes: { "*": { duration: { max: "1s" } } } }, {}, ["shop"])
    expect(lines(own)).toEqual(["undecided * duration max 0"])
    expect(relative.results[0]).toMatchObject({
      baseline: { value: 109, samples: 1 },
      reason: "too few samples to compare: 9 and 1 of at least 10",
    })
  })

  test("measure each page load of a trace with several, such as that of a test, by its own vitals, spans and errors", async () => {
    const began = ago(HOUR)
    const at = (seconds: number) => plus(began, BigInt(seconds) * 1_000_000_000n)
    const visit = (id: number, route: string, lcp: number, queries: number): SpanRecord[] => {
      const startTime = at(id)
      const child = (parent: number): Partial<SpanRecord> => ({ parentSpanId: spanId(parent), startTime })
      const page = { "http.route": route, "sentry.op": "pageload" }
      return [
        timed(90, id, 30, { "http.route": route }, { name: `GET ${route}`, ...child(9_000) }),
        timed(90, id + 1, 50, page, { name: route, kind: "internal", ...child(id) }),
        timed(
          90,
          id + 2,
          0,
          { "browser.web_vital.lcp.value": lcp },
          { name: "browser.web_vital.lcp", kind: "internal", ...child(id + 1) },
        ),
        ...Array.from({ length: queries }, (_, at) =>
          timed(90, id + 3 + at, 1, {}, { name: "SELECT c", ...child(id) }),
        ),
      ]
    }
    const test = timed(90, 9_000, 300_000, {}, { name: "cart › opens", kind: "internal", resource: service("tests") })
    await store().insertSpans([test, ...visit(100, "/first", 700, 1), ...visit(200, "/second", 1_700, 4)], "a test")
    await store().insertErrors([error(90, 90, { traceId: traceId(90), time: at(150) })], "of a test")
    const limits = { LCP: { max: "1s" }, spans: { "SELECT *": { max: 1 } }, errors: { max: 0 } }
    const report = await judged({ routes: { "/first": limits, "/second": limits } }, { filter: `trace:${traceId(90)}` })
    expect(lines(report).toSorted()).toEqual([
      "fail /first load errors max 1 1",
      "fail /second load LCP max 1700 1",
      "fail /second load spans SELECT * max 4 1",
      "pass /first load LCP max 700 1",
      "pass /first load spans SELECT * max 1 1",
      "pass /second load errors max 0 1",
    ])
  })
})
