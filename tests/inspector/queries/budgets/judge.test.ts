import { describe, expect, test } from "vitest"
import { type Limit, parseBudgets } from "#otel/inspector/queries/budgets/budget-file.ts"
import { distributionOf, fewestFor } from "#otel/inspector/queries/budgets/distribution.ts"
import { judge, judgeFailures } from "#otel/inspector/queries/budgets/judge.ts"
import { countViews } from "#otel/inspector/queries/budgets/view-counts.ts"

function limitOf(stat: string, text: string): Limit {
  const budgets = parseBudgets({ baseline: "run:main", routes: { "*": { duration: { [stat]: text } } } })
  return budgets.rules[0]!.limits[0]!
}

/** Durations spread evenly from the first to the last. */
const evenly = (count: number, from: number, to: number) =>
  distributionOf(
    Array.from({ length: count }, (_, index) => ({
      value: from + ((to - from) * index) / (count - 1),
      traceId: String(index),
    })),
  )

test("a share of failures is undecided with too few samples, and too many failures are a failure with any number", () => {
  const [max, share] = parseBudgets({ routes: { "*": { errors: { max: 1, share: "1%" } } } }).rules[0]!.limits
  const verdictOf = (limit: Limit | undefined, value: number, samples: number) =>
    judgeFailures(limit!, value, samples, 100).verdict
  expect([share, max].map((limit) => verdictOf(limit, 0, 1))).toEqual(["undecided", "undecided"])
  expect([verdictOf(share, 0.5, 2), verdictOf(max, 2, 2)]).toEqual(["undecided", "fail"])
  expect([verdictOf(share, 0.005, 200), verdictOf(share, 0.02, 200), verdictOf(max, 1, 200)]).toEqual([
    "pass",
    "fail",
    "pass",
  ])
})

describe("an absolute limit", () => {
  test("is judged by the measured value, and names the trace with the largest", () => {
    const durations = evenly(100, 1, 100)
    expect(durations.worst).toBe("99")
    expect(judge(limitOf("p75", "76ms"), durations, undefined, 1)).toMatchObject({
      verdict: "pass",
      value: 76,
      bound: 76,
    })
    expect(judge(limitOf("p75", "75ms"), durations, undefined, 1)).toMatchObject({ verdict: "fail", samples: 100 })
    expect(judge(limitOf("max", "99ms"), durations, undefined, 1)).toMatchObject({ verdict: "fail", value: 100 })
  })

  test("is undecided with fewer samples than the file demands", () => {
    expect(judge(limitOf("p75", "1ms"), evenly(4, 5, 9), undefined, 5)).toMatchObject({
      verdict: "undecided",
      samplesNeeded: 5,
    })
  })
})

describe("a limit relative to the baseline", () => {
  const base = evenly(200, 100, 120)

  test("fails and passes only where chance cannot explain the difference from the limit", () => {
    const limit = limitOf("p75", "+10%")
    expect(judge(limit, evenly(200, 100, 120), base, 1)).toMatchObject({ verdict: "pass" })
    expect(judge(limit, evenly(200, 150, 170), base, 1)).toMatchObject({
      verdict: "fail",
      reason: "over the limit, beyond chance",
    })
    expect(judge(limitOf("p75", "+0%"), evenly(200, 101, 121), base, 1)).toMatchObject({ verdict: "undecided" })
  })

  test("says how many samples would decide, and as many do", () => {
    const limit = limitOf("p50", "+2%")
    const few = judge(limit, evenly(20, 102, 126), evenly(20, 100, 120), 1)
    expect(few.verdict).toBe("undecided")
    const needed = few.samplesNeeded!
    expect(needed).toBeGreaterThan(20)
    const many = judge(limit, evenly(2 * needed, 102, 126), evenly(2 * needed, 100, 120), 1)
    expect(many.verdict).toBe("fail")
    expect(many.change!.low).toBeGreaterThan(0.02)
  })

  test("is undecided without a baseline, and below the samples that its percentile needs", () => {
    expect(judge(limitOf("p75", "+10%"), base, undefined, 1)).toMatchObject({
      verdict: "undecided",
      reason: "there is no sample of a baseline",
    })
    expect([fewestFor("p50"), fewestFor("p75"), fewestFor("p95"), fewestFor("p99")]).toEqual([10, 20, 100, 500])
    expect(judge(limitOf("p95", "+10%"), evenly(99, 1, 2), base, 1)).toMatchObject({ verdict: "undecided" })
    expect(judge(limitOf("p95", "+10%"), evenly(100, 1, 2), base, 1)).toMatchObject({ verdict: "pass" })
  })

  test("is undecided where both sides are drawn from the same values, in at least 99 of 100 cases", () => {
    let seed = 7
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const draw = () =>
      distributionOf(Array.from({ length: 60 }, () => ({ value: 100 * Math.exp(random() + random()), traceId: "" })))
    const verdicts = Array.from({ length: 1_000 }, () => judge(limitOf("p75", "+0%"), draw(), draw(), 1).verdict)
    expect(verdicts.filter((verdict) => verdict !== "undecided").length).toBeLessThanOrEqual(10)
  })
})

describe("what a view caused", () => {
  /** A document's request, its page, a script, a fetch, the server behind it and its queries; with a ring beside them. */
  const trace = {
    traceId: "t",
    ids: ["doc", "q0", "page", "script", "fetch", "api", "q1", "q2", "call", "ring1", "ring2"],
    parents: ["", "doc", "doc", "page", "page", "fetch", "api", "api", "api", "ring2", "ring1"],
    names: ["GET /", "SELECT a", "/", "a.js", "GET /api", "GET /api", "SELECT b", "SELECT b", "GET rates", "x", "x"],
    isRequest: [false, false, false, true, true, false, false, false, true, false, false],
    isServer: [true, false, false, false, false, true, false, false, false, false, false],
    bytes: [0, 0, 0, 300, 50, 0, 0, 0, 7, 0, 0],
  }
  const views = [
    { traceId: "t", spanId: "doc", route: "/", kind: "request" as const },
    { traceId: "t", spanId: "page", route: "/", kind: "load" as const },
    { traceId: "t", spanId: "api", route: "/api", kind: "request" as const },
    { traceId: "t", spanId: "missing", route: "/api", kind: "request" as const },
  ]

  test("is its own requests and bytes; of a page all spans of its trace, of a request those below it without the page", () => {
    const counted = countViews({ traces: 1, sampled: [trace], views }, ["SELECT *", "GET /api"])
    expect(counted.map(({ spanId, requests, bytes, spans }) => [spanId, requests, bytes, spans])).toEqual([
      ["doc", 0, 0, [1, 0]],
      ["page", 2, 350, [3, 2]],
      ["api", 1, 7, [2, 0]],
    ])
  })

  test("is that of each page's own in a trace of several, with the request that rendered it and the step that opened it", () => {
    const test = {
      traceId: "t",
      ids: ["test", "go1", "doc1", "q1", "page1", "api1", "q2", "go2", "doc2", "page2", "frame", "q3", "click", "q4"],
      parents: [
        "",
        "test",
        "go1",
        "doc1",
        "doc1",
        "page1",
        "api1",
        "test",
        "go2",
        "doc2",
        "page2",
        "frame",
        "test",
        "click",
      ],
      names: ["t", "s", "GET /a", "SELECT", "/a", "GET", "SELECT", "s", "GET /b", "/b", "/f", "SELECT", "s", "SELECT"],
      isRequest: Array.from({ length: 14 }, () => false),
      isServer: Array.from({ length: 14 }, () => false),
      bytes: Array.from({ length: 14 }, () => 0),
    }
    const pages = ["page1", "page2", "frame"].map((spanId) => ({
      traceId: "t",
      spanId,
      route: spanId,
      kind: "load" as const,
    }))
    const counted = countViews({ traces: 1, sampled: [test], views: pages }, ["SELECT", "*"])
    expect(counted.map(({ spanId, spans }) => [spanId, ...spans])).toEqual([
      ["page1", 2, 6],
      ["page2", 0, 1],
      ["frame", 1, 2],
    ])
    const two = countViews({ traces: 1, sampled: [test], views: pages.slice(0, 2) }, ["SELECT", "*"])
    expect(two.map(({ spanId, spans }) => [spanId, ...spans])).toEqual([
      ["page1", 2, 6],
      ["page2", 1, 5],
    ])
  })

  test("is counted for each of 50,000 nested servers of one trace", () => {
    const count = 50_000
    const ids = Array.from({ length: count }, (_, index) => String(index))
    const deep = {
      traceId: "t",
      ids,
      parents: ids.map((_, index) => (index === 0 ? "" : String(index - 1))),
      names: ids.map(() => "SELECT"),
      isRequest: ids.map(() => false),
      isServer: ids.map(() => true),
      bytes: ids.map(() => 0),
    }
    const all = ids.map((spanId) => ({ traceId: "t", spanId, route: "/", kind: "request" as const }))
    const counted = countViews({ traces: 1, sampled: [deep], views: all }, ["SELECT*"])
    expect(counted[0]!.spans).toEqual([count - 1])
    expect(counted).toHaveLength(count)
  })
})
