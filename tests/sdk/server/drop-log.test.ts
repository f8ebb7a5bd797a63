import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { processState } from "#otel/sdk/process-state.ts"
import { countDrop } from "#otel/sdk/server/drops/count-drop.ts"
import { logRemainingDrops } from "#otel/sdk/server/drops/drop-log.ts"
import { setInspectorProcess, setLocalInspector } from "#otel/sdk/server/local-inspector.ts"

const MINUTE_MS = 60_000
const COLLECTOR = { name: "the collector", cause: "401 from http://collector:4318/v1/traces" } as const

const lines: string[] = []

beforeEach(() => {
  lines.length = 0
  vi.useFakeTimers()
  const log = vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => {
    processState("unlogged-drops").value = undefined
    vi.useRealTimers()
    log.mockRestore()
  })
})

function unexported(count: number): void {
  countDrop("server", "send_error", "span", count, "on the way to the collector", COLLECTOR)
}

describe("a server without an inspector", () => {
  test("logs the first drop of a kind at once, then at most once a minute with the sum", () => {
    for (let index = 0; index < 513; index++) unexported(1)
    const first = "pagespan: 1 span did not reach the collector (send_error: 401 from http://collector:4318/v1/traces)"
    expect(lines).toEqual([first])
    vi.advanceTimersByTime(MINUTE_MS - 1)
    expect(lines).toEqual([first])
    vi.advanceTimersByTime(1)
    expect(lines).toEqual([first, first.replace("1 span", "512 spans")])
    unexported(2)
    vi.advanceTimersByTime(MINUTE_MS - 1)
    expect(lines).toHaveLength(2)
    vi.advanceTimersByTime(1)
    expect(lines.slice(2)).toEqual([first.replace("1 span", "2 spans")])
  })

  test("logs nothing and has no timer once nothing is dropped, and the next drop at once", () => {
    unexported(1)
    vi.advanceTimersByTime(10 * MINUTE_MS)
    expect([lines.length, vi.getTimerCount()]).toEqual([1, 0])
    unexported(1)
    expect(lines).toHaveLength(2)
  })

  test("logs what is not logged yet when the process ends", () => {
    unexported(1)
    unexported(7)
    logRemainingDrops()
    logRemainingDrops()
    expect(lines.slice(1)).toEqual([expect.stringContaining(" 7 spans did not reach the collector ")])
  })

  test("logs each stage, reason and destination by itself", () => {
    countDrop("server", "queue_overflow", "span", 3, "", { name: "the collector" })
    countDrop("server", "queue_overflow", "error", 1, "by the Sentry client", { name: "Sentry" })
    countDrop("forward", "network_error", "span", 2, "page spans", { name: "the collector", cause: "ECONNREFUSED" })
    countDrop("tunnel", "send_error", "session", 2, "from a page", { name: "Sentry" })
    countDrop("tunnel", "rate_limited", "default", 1, "too many requests")
    countDrop("server", "internal_sdk_error", "span", 1, "a processor failed")
    expect(lines).toEqual([
      "pagespan: 3 spans did not reach the collector (queue_overflow)",
      "pagespan: 1 error did not reach Sentry (queue_overflow)",
      "pagespan: 2 spans of pages did not reach the collector (network_error: ECONNREFUSED)",
      "pagespan: 2 records of pages did not reach Sentry (send_error)",
      "pagespan: the tunnel dropped 1 record (rate_limited)",
      "pagespan: this server dropped 1 span (internal_sdk_error)",
    ])
  })

  test("does not log what sampling and filters drop, nor what pages report", () => {
    for (const reason of ["sample_rate", "ignored", "noisy_error", "framework_signal", "before_send"] as const)
      countDrop("bridge", reason, "error", 1, "a sample", { name: "Sentry" })
    countDrop("page", "network_error", "span", 1_000_000, "reported by the browser SDK")
    expect([lines, vi.getTimerCount()]).toEqual([[], 0])
  })

  test("does not throw if the log does", () => {
    vi.mocked(console.warn).mockImplementation(() => {
      throw new Error("closed")
    })
    expect(() => unexported(1)).not.toThrow()
  })
})

describe("the inspector's own process", () => {
  test("shows its drops, and does not log them", () => {
    const drop = vi.fn<() => void>()
    setLocalInspector({ spans: async () => undefined, drop, refusal: () => undefined })
    onTestFinished(() => setLocalInspector(undefined))
    unexported(5)
    expect([lines, drop.mock.calls.length]).toEqual([[], 1])
  })

  test("does not log its drops either if it does not record itself", () => {
    setInspectorProcess()
    onTestFinished(() => (processState("inspector-process").value = undefined))
    unexported(5)
    expect(lines).toEqual([])
  })
})
