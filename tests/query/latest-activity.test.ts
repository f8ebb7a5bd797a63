import { expect, it } from "vitest"
import { parseTraceId, type TraceId } from "#otel/model/ids.ts"
import { nanoseconds } from "#otel/model/time.ts"
import type { TraceSummary } from "#otel/model/trace-summary.ts"
import { latestActivity } from "#otel/query/latest-activity.ts"

let made = 0
function trace(name: string, duration: bigint, services: string[], errorCount = 0): TraceSummary {
  const traceId = parseTraceId((++made).toString(16).padStart(32, "0")) as TraceId
  return {
    traceId,
    name,
    isProvisional: false,
    services,
    startTime: nanoseconds(1n),
    duration: nanoseconds(duration),
    spanCount: 1,
    errorCount,
    sources: [],
  }
}

it("counts each service once a trace, the busiest first", () => {
  const { services } = latestActivity([
    trace("/", 1n, ["web", "api"], 3),
    trace("/", 1n, ["web"]),
    trace("/", 1n, ["web"], 1),
  ])
  expect(services).toEqual([
    { name: "web", traces: 3, tracesWithErrors: 2 },
    { name: "api", traces: 1, tracesWithErrors: 1 },
  ])
})

it("ranks routes by their median, so that one outlier does not make a route slow", () => {
  const slowest = trace("/fast", 9_007_199_254_740_993n, ["web"])
  const { routes } = latestActivity([
    trace("/fast", 10n, ["web"]),
    slowest,
    trace("/fast", 12n, ["web"]),
    trace("/slow", 500n, ["web"]),
    trace("/slow", 400n, ["web"]),
  ])
  expect(routes).toMatchObject([
    { name: "/slow", traces: 2, median: 400n, slowest: 500n },
    { name: "/fast", traces: 3, median: 12n, slowest: 9_007_199_254_740_993n, slowestTraceId: slowest.traceId },
  ])
})

it("of no traces is empty", () => {
  expect(latestActivity([])).toEqual({ services: [], routes: [] })
})
