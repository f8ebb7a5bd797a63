import { afterEach, describe, expect, test, vi } from "vitest"
import type { EnvelopeFormatSetting } from "#otel/sdk/envelope-format.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import type { Transaction } from "#otel/sdk/sentry/transaction-payload.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"

/** The same source with the previous major version of Sentry's SDK. */
const CORES = {
  "11.0.0": async () => undefined,
  "10.78.0": async () => {
    vi.doMock("@sentry/core", () => import("sentry-core-10"))
    vi.doMock("@sentry/core/server", () => import("sentry-core-10"))
  },
}

afterEach(() => {
  vi.doUnmock("@sentry/core")
  vi.doUnmock("@sentry/core/server")
  vi.resetModules()
})

describe.each(Object.entries(CORES))("with @sentry/core %s", (version, use) => {
  async function load() {
    vi.resetModules()
    await use()
    const { SDK_VERSION } = await import("@sentry/core")
    expect(SDK_VERSION).toBe(version)
    const { sentryClient } = await import("./sentry-client.ts")
    const { TransactionSender } = await import("#otel/sdk/sentry/transaction-sender.ts")
    const { sendSpanStream } = await import("#otel/sdk/sentry/span-stream.ts")
    const { assembleTransaction } = await import("#otel/sdk/sentry/transaction.ts")
    const send = (
      sentry: ReturnType<typeof sentryClient>,
      setting: EnvelopeFormatSetting,
      transaction: Transaction,
    ) => {
      const drop = (count: number) => sentry.drops.push(`limit_spans/span=${count}`)
      const sender = new TransactionSender({ client: sentry.client, setting, stream: () => sendSpanStream, drop })
      sender.send(transaction, samplingContext)
      return sentry.flush()
    }
    return { sentryClient, send, assembleTransaction }
  }

  const samplingContext = { trace_id: TRACE_ID, public_key: "key", sampled: "true", sample_rate: "1" }

  test("a transaction is sent completely, with its own sampling context in the header", async () => {
    const { sentryClient, send, assembleTransaction } = await load()
    const sentry = sentryClient()
    const root = finishedSpan({ name: "GET /items/[id]", attributes: { "http.route": "/items/[id]" } })
    const child = finishedSpan({ name: "child", spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } })
    const transaction = assembleTransaction(root, [child], {
      platform: "node",
      eventId: "9".repeat(32),
      mapping: semconvMapping,
    })
    await send(sentry, "transaction", transaction)
    expect(sentry.headers[0]?.["trace"]).toEqual(samplingContext)
    const { payload } = transaction
    expect(sentry.items).toMatchObject([
      {
        type: "transaction",
        transaction: "GET /items/[id]",
        transaction_info: { source: "route" },
        spans: payload.spans,
      },
    ])
    expect(sentry.items[0]?.["contexts"].trace).toEqual(payload.contexts.trace)
    expect(sentry.drops).toEqual([])
  })

  test("a stream is sent in Sentry's container, with the same sampling context in the header and no event id", async () => {
    const { sentryClient, send, assembleTransaction } = await load()
    const sentry = sentryClient({ client: { release: "shop@1" } })
    const root = finishedSpan({ name: "GET /items/[id]", attributes: { "http.route": "/items/[id]" } })
    const child = finishedSpan({ name: "child", spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } })
    const options = { platform: "node", eventId: "9".repeat(32), mapping: semconvMapping } as const
    await send(sentry, "stream", assembleTransaction(root, [child], options))
    expect(sentry.headers).toEqual([{ sent_at: expect.any(String), trace: samplingContext }])
    expect(sentry.itemHeaders).toEqual([
      { type: "span", item_count: 2, content_type: "application/vnd.sentry.items.span.v2+json" },
    ])
    const common = {
      "sentry.trace_lifecycle": { value: "stream", type: "string" },
      "sentry.segment.name": { value: "GET /items/[id]", type: "string" },
      "sentry.segment.id": { value: "b7ad6b7169203331", type: "string" },
      "sentry.release": { value: "shop@1", type: "string" },
      "service.name": { value: "shop", type: "string" },
    }
    expect(sentry.items).toMatchObject([
      {
        version: 2,
        items: [
          {
            trace_id: TRACE_ID,
            span_id: "b7ad6b7169203331",
            name: "GET /items/[id]",
            start_timestamp: 1_000,
            end_timestamp: 1_001,
            status: "ok",
            is_segment: true,
            attributes: { ...common, "sentry.segment.name.source": { value: "route", type: "string" } },
          },
          { span_id: "2".repeat(16), parent_span_id: "b7ad6b7169203331", is_segment: false, attributes: common },
        ],
      },
    ])
    expect(sentry.drops).toEqual([])
  })

  test.each([
    ["refused", () => ({ statusCode: 500 }), "send_error"],
    ["too large", () => ({ statusCode: 413 }), "send_error"],
    ["limited", () => ({ statusCode: 429 }), "ratelimit_backoff"],
    ["failed", () => Promise.reject(new Error("gone")), "network_error"],
  ])("a stream that is %s is counted in spans, in Sentry's own reports too", async (_, answer, reason) => {
    const { sentryClient, send, assembleTransaction } = await load()
    const sentry = sentryClient({ answer })
    const child = finishedSpan({ name: "child", spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } })
    const options = { platform: "node", eventId: "9".repeat(32), mapping: semconvMapping } as const
    const transaction = assembleTransaction(finishedSpan(), [child, child], options)
    await send(sentry, "stream", transaction)
    expect(sentry.drops).toEqual([`${reason}/span=3`])
  })

  test("a stream under a rate limit of spans is dropped and counted, while errors go on", async () => {
    const { sentryClient, send, assembleTransaction } = await load()
    const limits = { "x-sentry-rate-limits": "60:span:organization", "retry-after": null }
    const sentry = sentryClient({ answer: () => ({ statusCode: 200, headers: limits }) })
    const options = { platform: "node", eventId: "9".repeat(32), mapping: semconvMapping } as const
    const transaction = assembleTransaction(finishedSpan(), [], options)
    await send(sentry, "stream", transaction)
    await send(sentry, "stream", transaction)
    sentry.capture(new Error("boom"))
    await sentry.flush()
    expect(sentry.itemHeaders.map(({ type }) => type)).toEqual(["span", "event"])
    expect(sentry.drops).toEqual(["ratelimit_backoff/span=1"])
  })

  test("an error is sent once, on its trace, and each drop is counted once", async () => {
    const { sentryClient } = await load()
    const trace = { span: finishedSpan(), samplingContext }
    const sentry = sentryClient({ trace, filters: { ignoreErrors: ["ignored"] } })
    sentry.capture(new Error("outer", { cause: new TypeError("why") }))
    sentry.capture(new Error("ignored"))
    await sentry.flush()
    expect(sentry.items.map((event) => event["exception"].values.map(({ value }: { value: string }) => value))).toEqual(
      [["why", "outer"]],
    )
    expect(sentry.items[0]?.["contexts"].trace).toMatchObject({ trace_id: TRACE_ID, span_id: "b7ad6b7169203331" })
    expect(sentry.headers[0]?.["trace"]).toEqual(samplingContext)
    expect(sentry.drops).toEqual(["ignored/error=1"])
  })

  test("refusals and failures are counted", async () => {
    const { sentryClient } = await load()
    for (const [answer, drop] of [
      [() => ({ statusCode: 500 }), "send_error/error=1"],
      [() => ({ statusCode: 429 }), "ratelimit_backoff/error=1"],
      [() => Promise.reject(new Error("gone")), "network_error/error=1"],
    ] as const) {
      const sentry = sentryClient({ answer })
      sentry.capture(new Error("boom"))
      await sentry.flush()
      expect([sentry.items, sentry.drops]).toEqual([[], [drop]])
    }
  })
})
