import { createTraceState, type TraceState } from "@opentelemetry/api"
import { type ExportResult, ExportResultCode } from "@opentelemetry/core"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { encodeResponse } from "#otel/protocol/otlp/responses.ts"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { CollectorProcessor, createCollectorExporter, exportSpans, undelivered } from "#otel/sdk/server/collector.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

function failure(status?: number): ExportResult {
  const error = Object.assign(new Error("failed"), status === undefined ? {} : { code: status })
  return { code: ExportResultCode.FAILED, error }
}

function processor(answer: () => ExportResult, queueLimit = 2_048, delays: number[] = []) {
  const delivered: ReadableSpan[] = []
  const drops: Record<string, number> = {}
  const exporter: SpanExporter = {
    export(spans, done) {
      const result = answer()
      if (result.code === ExportResultCode.SUCCESS) delivered.push(...spans)
      setTimeout(() => done(result), delays.shift() ?? 0)
    },
    shutdown: async () => undefined,
  }
  const dropped = (reason: string, count: number) => (drops[reason] = (drops[reason] ?? 0) + count)
  const settings = { ...readSdkConfig({}).config, OTEL_BSP_MAX_QUEUE_SIZE: queueLimit }
  return { spans: new CollectorProcessor(exporter, dropped, settings), delivered, drops }
}

const success = (): ExportResult => ({ code: ExportResultCode.SUCCESS })

test("a span leaves without the entries of the trace state that are this process's own", async () => {
  const { spans, delivered } = processor(success)
  const own = (state: TraceState) => state.set("pagespan.caller", "sentry-caller=true").set("sentry.dsc", "a")
  const vendor = createTraceState("vendor=1")
  for (const traceState of [own(vendor), own(createTraceState()), vendor, undefined]) {
    const span = finishedSpan()
    const spanContext = () => ({ ...span.spanContext(), ...(traceState && { traceState }) })
    spans.onEnd({ ...span, spanContext })
  }
  await spans.forceFlush()
  const states = delivered.map((span) => span.spanContext().traceState?.serialize())
  expect(states).toEqual(["vendor=1", undefined, "vendor=1", undefined])
  expect(delivered.map(({ name }) => name)).toEqual(Array(4).fill(finishedSpan().name))
})

describe("spans for the collector", () => {
  test("are counted if the queue is full", async () => {
    const { spans, delivered, drops } = processor(success, 100)
    for (let index = 0; index < 250; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush()
    expect([delivered.length, drops]).toEqual([200, { queue_overflow: 50 }])
  })

  test.each([
    [undefined, "network_error"],
    [400, "send_error"],
    [429, "ratelimit_backoff"],
    [503, "send_error"],
  ])("are counted if the export fails with %s: %s", async (status, reason) => {
    const { spans, drops } = processor(() => failure(status))
    for (let index = 0; index < 7; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush().catch(() => undefined)
    expect(drops).toEqual({ [reason]: 7 })
  })

  test.each([429, 502, 503, 504])(
    "are counted as refused by the collector if its %i outlasts the retries",
    async (status) => {
      const collector = await new RecordingCollector().listen()
      onTestFinished(() => collector.close())
      collector.answer = { status, headers: { "retry-after": "3600" }, body: "" }
      const { config } = readSdkConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
      const drops: unknown[] = []
      const spans = new CollectorProcessor(createCollectorExporter(config)!, (...drop) => drops.push(drop), config)
      for (let index = 0; index < 3; index++) spans.onEnd(finishedSpan())
      await spans.forceFlush().catch(() => undefined)
      expect(drops).toEqual([["send_error", 3, expect.stringContaining("retryable status from http://127.0.0.1")]])
    },
  )

  test("are counted as an overflow if too many exports run already", async () => {
    const collector = await new RecordingCollector().listen()
    onTestFinished(() => collector.close())
    const { config } = readSdkConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const exporter = createCollectorExporter(config, 1)!
    const results = await Promise.all([1, 2].map(() => exportSpans(exporter, [finishedSpan()])))
    const [arrived, missed] = results.map((result) => undelivered(result, 1))
    expect(arrived?.count).toBe(0)
    expect(missed).toMatchObject({ reason: "queue_overflow", count: 1 })
  })

  test.each([
    ["http/protobuf", "protobuf", "application/x-protobuf"],
    ["http/json", "json", "application/json"],
  ] as const)(
    "that the collector rejects of a batch that it accepts are counted: %s",
    async (protocol, encoding, type) => {
      const collector = await new RecordingCollector().listen()
      onTestFinished(() => collector.close())
      const partial = Buffer.from(encodeResponse("traces", encoding, { rejected: 2, message: "too old" })).toString()
      collector.answer = { status: 200, headers: { "content-type": type }, body: partial }
      const { config } = readSdkConfig({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      })
      const drops: [string, number][] = []
      const spans = new CollectorProcessor(
        createCollectorExporter(config)!,
        (reason, count) => drops.push([reason, count]),
        config,
      )
      for (let index = 0; index < 5; index++) spans.onEnd(finishedSpan())
      await spans.forceFlush()
      expect([collector.spans().length, drops]).toEqual([5, [["send_error", 2]]])
      collector.answer = { status: 200, headers: { "content-type": type }, body: "" }
      spans.onEnd(finishedSpan())
      await spans.shutdown()
      expect([collector.spans().length, drops.length]).toEqual([6, 1])
    },
  )

  test("are dropped with a cause that has no secret if a header of the exporter is invalid", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%0Ahunter2")
    onTestFinished(() => void vi.unstubAllEnvs())
    const { config } = readSdkConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:hunter2@127.0.0.1:9?key=hunter2" })
    const drops: unknown[] = []
    const spans = new CollectorProcessor(createCollectorExporter(config)!, (...drop) => drops.push(drop), config)
    spans.onEnd(finishedSpan())
    await spans.forceFlush().catch(() => undefined)
    expect(drops).toEqual([
      ["network_error", 1, expect.stringMatching(/^ERR_INVALID_CHAR from http:\/\/127\.0\.0\.1:9\//)],
    ])
    expect(JSON.stringify(drops)).not.toContain("hunter2")
  })

  test.each(["0", "-1", "0.5"])("are exported once if OTEL_BSP_MAX_EXPORT_BATCH_SIZE is %s", async (size) => {
    vi.stubEnv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", size)
    vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "1")
    onTestFinished(() => void vi.unstubAllEnvs())
    let exports = 0
    const exporter: SpanExporter = {
      export: (_spans, done) => setTimeout(() => done(exports++ < 100 ? success() : failure(503)), 0),
      shutdown: async () => undefined,
    }
    const spans = new CollectorProcessor(exporter, () => undefined, readSdkConfig(process.env).config)
    spans.onEnd(finishedSpan())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(exports).toBe(1)
  })

  test("are counted if they end after the shutdown, as those of a request that is still open", async () => {
    const { spans, delivered, drops } = processor(success)
    spans.onEnd(finishedSpan())
    const ended = spans.shutdown()
    for (let index = 0; index < 3; index++) spans.onEnd(finishedSpan())
    await ended
    spans.onEnd(finishedSpan())
    expect([delivered.length, drops]).toEqual([1, { expired: 4 }])
  })

  test("are not sent if their trace is not sampled", async () => {
    const { spans, delivered, drops } = processor(success)
    spans.onEnd(finishedSpan({ sampled: false }))
    await spans.forceFlush()
    expect([delivered, drops]).toEqual([[], {}])
  })

  test("are all accounted for after a flush, also those of an export that a full batch started", async () => {
    let exports = 0
    const { spans, drops } = processor(() => (exports++ === 0 ? failure(503) : failure(429)), 60, [50])
    for (let index = 0; index < 60; index++) spans.onEnd(finishedSpan())
    await new Promise((resolve) => setImmediate(resolve))
    for (let index = 0; index < 40; index++) spans.onEnd(finishedSpan())
    await spans.forceFlush().catch(() => undefined)
    expect(drops).toEqual({ send_error: 60, ratelimit_backoff: 40 })
  })

  test("are delivered or counted, over random faults", async () => {
    for (let round = 0; round < 30; round++) {
      const { spans, delivered, drops } = processor(() => (Math.random() < 0.4 ? failure(503) : success()), 60)
      let sent = 0
      for (let burst = 0; burst < 5; burst++) {
        const count = Math.floor(Math.random() * 100)
        for (let index = 0; index < count; index++) spans.onEnd(finishedSpan())
        sent += count
        await spans.forceFlush().catch(() => undefined)
      }
      const dropped = Object.values(drops).reduce((sum, count) => sum + count, 0)
      expect(delivered.length + dropped).toBe(sent)
    }
  })
})
