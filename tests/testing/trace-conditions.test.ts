import { describe, expect, onTestFinished, test } from "vitest"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { setOnlyAttempt, startAttempt, untilTimeoutMs } from "#otel/testing/active-attempt.ts"
import { type FoundSpan, foundSpans, missingParents, spansOfRoute, vitalValues } from "#otel/testing/found-trace.ts"
import { judge, type TraceCondition } from "#otel/testing/trace-conditions.ts"
import { readyFilter, type TraceFilter } from "#otel/testing/trace-filter.ts"
import { randomIds } from "#otel/testing/trace-ids.ts"

function span(
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  changes: Partial<FoundSpan> = {},
): FoundSpan {
  const plain = { service: "shop", startMs: 0, durationMs: 10, failed: false, message: "", attributes: {} }
  return { ...plain, spanId, parentSpanId, name, ...changes }
}

const PAGE = { attributes: { "http.route": "/cart/[id]", "browser.web_vital.lcp.value": 900 } }
/** Two pages of one test: the second one has an error. */
const SPANS = [
  span("1", "test", "GET /cart/[id]", { attributes: { "http.route": "/cart/[id]" }, durationMs: 80 }),
  span("2", "1", "/cart/[id]", { ...PAGE, durationMs: 1_200 }),
  span("3", "2", "browser.web_vital.lcp", { attributes: { "browser.web_vital.lcp.value": 1_000 } }),
  span("4", "1", "SELECT prices"),
  span("5", "1", "SELECT prices"),
  span("6", "test", "GET /broken", { attributes: { "http.route": "/broken" }, failed: true, message: "no database" }),
]

function judged(condition: TraceCondition, route?: string, issues: readonly string[] = []) {
  const spans = spansOfRoute(SPANS, route)
  const traces = spans.length === 0 ? [] : [{ traceId: "a", url: "", spans }]
  return judge(condition, traces, route, issues)
}

const within = (limitMs: number) => ({ kind: "duration", limitMs }) as const
const count = (name: string, minCount: number, maxCount: number) =>
  ({ kind: "span", name, minCount, maxCount }) as const
const vital = (name: string, p75: number) => ({ kind: "vital", vital: name, limits: { p75 } }) as const
const ERRORS = { kind: "no-errors" } as const

describe("an assertion on traces", () => {
  test.each([
    ["no errors in the route", ERRORS, "/cart/[id]", true, "settled"],
    ["no errors in another route", ERRORS, "/broken", false, "once"],
    ["no errors in all routes", ERRORS, undefined, false, "once"],
    ["a route without a trace", ERRORS, "/nowhere", false, "timeout"],
    ["a pattern of routes", ERRORS, "/cart/*", true, "settled"],
    ["a span that is there", count("SELECT*", 1, Infinity), "/cart/[id]", true, "once"],
    ["not too many spans", count("SELECT*", 1, 2), "/cart/[id]", true, "settled"],
    ["too many spans", count("SELECT*", 1, 1), "/cart/[id]", false, "once"],
    ["a span that may still come", count("INSERT", 1, 9), "/cart/[id]", false, "timeout"],
    ["a span of another route", count("SELECT*", 1, 9), "/broken", false, "timeout"],
    ["the duration of the route's spans", within(1_200), "/cart/[id]", true, "settled"],
    ["a duration that is too long", within(1_199), "/cart/[id]", false, "once"],
    ["a web vital", vital("LCP", 1_000), "/cart/[id]", true, "settled"],
    ["a web vital beyond its limit", vital("LCP", 999), "/cart/[id]", false, "settled"],
    ["a web vital that no page has", vital("INP", 999), "/cart/[id]", false, "timeout"],
  ] as const)("judges %s", (_, condition, route, holds, from) => {
    expect(judged(condition, route)).toMatchObject({ holds, from })
  })

  test("shows what came instead", () => {
    expect(judged(ERRORS).problem).toBe("Expected no errors, and found 1:\n  shop: GET /broken: no database")
    expect(judged(count("INSERT", 1, 9), "/cart/[id]").problem).toContain("one has 0. It has:\n  2 × SELECT prices\n")
    expect(judged(within(1_199), "/cart/[id]").problem).toContain("/cart/[id] took 1200 ms")
    expect(judged(vital("LCP", 999), "/cart/[id]").problem).toBe(
      "Expected p75 of LCP to be at most 999 ms, and it is 1000 ms (1 page)",
    )
  })

  test("fails on an error that was reported without a span", () => {
    expect(judged(ERRORS, "/cart/[id]", ["TypeError: x"])).toMatchObject({ holds: false, from: "once" })
  })

  test("reads one value of a web vital for each page, that of its own span first", () => {
    expect(vitalValues(SPANS, "LCP")).toEqual([1_000])
  })

  test("knows which parents have not arrived", () => {
    expect([...missingParents(SPANS)]).toEqual(["test"])
  })

  test("reads spans of OTLP/JSON with their service, times, failure and attributes", () => {
    const text = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeSpans: [
            {
              scope: { name: "" },
              spans: [
                {
                  traceId: "a",
                  spanId: "1",
                  name: "GET /",
                  kind: 2,
                  startTimeUnixNano: "1800000000000250000",
                  endTimeUnixNano: "1800000000001500000",
                  attributes: [{ key: "http.response.status_code", value: { intValue: "503" } }],
                  status: { code: 2, message: "down" },
                },
              ],
            },
          ],
        },
      ],
    })
    expect(foundSpans(text)).toEqual([
      span("1", undefined, "GET /", {
        startMs: 1_800_000_000_000.25,
        durationMs: 1.25,
        failed: true,
        message: "down",
        attributes: { "http.response.status_code": 503 },
      }),
    ])
  })
})

describe("the filter of an assertion", () => {
  test.each([
    [{ route: "/cart/[id]" }, "route:/cart/[id]"],
    [{ route: "/cart/*", service: "web" }, "route:/cart/* service:web"],
    [{ route: "/a b", name: 'say "hi"' }, String.raw`route:"/a b" name:"say \"hi\""`],
    [{ route: "/x", filter: "status:error OR errors>1" }, "route:/x (status:error OR errors>1)"],
    [{ run: "e2e/main@1", trace: "4bf92f" }, 'run:e2e/main@1 trace:"4bf92f"'],
  ] as [TraceFilter, string][])("of %j is one that the inspector reads", (given, text) => {
    const ready = readyFilter(given)
    expect(ready.text).toBe(text)
    expect(parseFilter(ready.text).problem).toBeUndefined()
  })

  test("has the time that is left of a timeout which the test changes itself", () => {
    let timeoutMs = 1_000
    setOnlyAttempt(startAttempt(randomIds(), () => timeoutMs))
    onTestFinished(() => setOnlyAttempt(undefined))
    expect(untilTimeoutMs()).toBeLessThanOrEqual(1_000)
    timeoutMs = 120_000
    expect(untilTimeoutMs()).toBeGreaterThan(100_000)
    timeoutMs = 0
    expect(untilTimeoutMs()).toBe(Infinity)
  })

  test("begins with the test, and is its trace without a filter", () => {
    const ids = randomIds()
    const attempt = startAttempt(ids, () => 0)
    setOnlyAttempt(attempt)
    onTestFinished(() => setOnlyAttempt(undefined))
    expect(readyFilter("status:error")).toEqual({ text: "status:error", route: undefined, sinceMs: attempt.startMs })
    expect(readyFilter(undefined).text).toContain(ids.traceId)
    setOnlyAttempt(undefined)
    expect(() => readyFilter(undefined)).toThrow(/with Pagespan's reporter, .* or name a filter/)
  })
})
