import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { RecentTraceViews, type TraceView } from "#otel/inspector/queries/trace/trace-view.ts"

function viewOf(traceId: string): TraceView {
  const parts = { name: "GET /", service: "shop", vitals: [], errors: [], findings: [] }
  return { traceId, ...parts, waterfall: {} as TraceView["waterfall"] }
}

describe("the latest views of traces", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test("are three at most, and nothing holds those before them", () => {
    const views = new RecentTraceViews()
    for (let trace = 1; trace <= 10; trace++) views.add(viewOf(String(trace)))
    expect([7, 8, 9, 10].filter((trace) => views.find(String(trace)) !== undefined)).toStrictEqual([8, 9, 10])
    // A timer holds the view that it expires.
    expect(vi.getTimerCount()).toBe(3)
  })

  test("hold a trace once, as it was read last, and for twenty seconds from then", () => {
    const views = new RecentTraceViews()
    views.add(viewOf("1"))
    vi.advanceTimersByTime(15_000)
    const last = viewOf("1")
    views.add(last)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(19_999)
    expect(views.find("1")).toBe(last)
    vi.advanceTimersByTime(1)
    expect(views.find("1")).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })
})
