import { type ExportResult, ExportResultCode } from "@opentelemetry/core"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import { describe, expect, test } from "vitest"
import { CollectorProcessor } from "#otel/server/collector-processor.ts"
import { finishedSpan } from "#tests/sentry/finished-span.ts"

function failure(status?: number): ExportResult {
  const error = Object.assign(new Error("failed"), status === undefined ? {} : { code: status })
  return { code: ExportResultCode.FAILED, error }
}

function processor(answer: () => ExportResult, queueLimit?: number, delays: number[] = []) {
  const delivered: ReadableSpan[] = []
  const losses: Record<string, number> = {}
  const exporter: SpanExporter = {
    export(spans, done) {
      const result = answer()
      if (result.code === ExportResultCode.SUCCESS) delivered.push(...spans)
      setTimeout(() => done(result), delays.shift() ?? 0)
    },
    shutdown: async () => undefined,
  }
  const lost = (reason: string, count: number) => (losses[reason] = (losses[reason] ?? 0) + count)
  return { spans: new CollectorProcessor(exporter, lost, queueLimit), delivered, losses }
}

const success = (): ExportResult => ({ code: ExportResultCode.SUCCESS })

describe("spans on the way to the collector", () => {
  test("are counted where the queue is full", async () => {
    const { spans, delivered, losses } = processor(success, 100)
    for (let index = 0; index < 250; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush()
    expect([delivered.length, losses]).toEqual([200, { queue_overflow: 50 }])
  })

  test.each([
    [undefined, "network_error"],
    [400, "send_error"],
    [429, "ratelimit_backoff"],
    [503, "send_error"],
  ])("are counted where the export fails with %s: %s", async (status, reason) => {
    const { spans, losses } = processor(() => failure(status))
    for (let index = 0; index < 7; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush().catch(() => undefined)
    expect(losses).toEqual({ [reason]: 7 })
  })

  test("are not sent where their trace is not sampled", async () => {
    const { spans, delivered, losses } = processor(success)
    spans.onEnd(finishedSpan({ sampled: false }))
    await spans.forceFlush()
    expect([delivered, losses]).toEqual([[], {}])
  })

  test("are all accounted for once a flush has ended, also those of an export that a full batch had set off", async () => {
    let exports = 0
    const { spans, losses } = processor(() => (exports++ === 0 ? failure(503) : failure(429)), 60, [50])
    for (let index = 0; index < 60; index++) spans.onEnd(finishedSpan())
    await new Promise((resolve) => setImmediate(resolve))
    for (let index = 0; index < 40; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush().catch(() => undefined)
    expect(losses).toEqual({ send_error: 60, ratelimit_backoff: 40 })
  })

  test("are delivered or counted, over random faults", async () => {
    for (let round = 0; round < 30; round++) {
      const { spans, delivered, losses } = processor(() => (Math.random() < 0.4 ? failure(503) : success()), 60)
      let sent = 0
      for (let burst = 0; burst < 5; burst++) {
        const count = Math.floor(Math.random() * 100)
        for (let index = 0; index < count; index++) spans.onEnd(finishedSpan())
        sent += count
        await spans.forceFlush().catch(() => undefined)
      }
      const lost = Object.values(losses).reduce((sum, count) => sum + count, 0)
      expect(delivered.length + lost).toBe(sent)
    }
  })
})
