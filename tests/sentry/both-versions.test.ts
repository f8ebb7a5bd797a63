import { afterEach, describe, expect, test, vi } from "vitest"
import { conventionWords } from "#otel/sentry/convention-words.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"

/** The same source on the line of Sentry's SDK that is kept beside the current one. */
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
    const { captureTransaction } = await import("#otel/sentry/capture-transaction.ts")
    const { assembleTransaction } = await import("#otel/sentry/transaction.ts")
    return { sentryClient, captureTransaction, assembleTransaction }
  }

  const samplingContext = { trace_id: TRACE_ID, public_key: "key", sampled: "true", sample_rate: "1" }

  test("a transaction leaves whole, with its own sampling context in the header", async () => {
    const { sentryClient, captureTransaction, assembleTransaction } = await load()
    const sentry = sentryClient()
    const root = finishedSpan({ name: "GET /items/[id]", attributes: { "http.route": "/items/[id]" } })
    const child = finishedSpan({ name: "child", spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } })
    const transaction = assembleTransaction(root, [child], {
      platform: "node",
      eventId: "9".repeat(32),
      words: conventionWords,
    })
    captureTransaction(sentry.client, transaction, samplingContext)
    await sentry.flush()
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
    expect(sentry.losses).toEqual([])
  })

  test("an error leaves once, on its trace, and what is dropped is counted once", async () => {
    const { sentryClient } = await load()
    const trace = { span: finishedSpan(), samplingContext }
    const sentry = sentryClient({ trace, filters: { ignoreErrors: ["ignored"] } })
    sentry.capture(new Error("told", { cause: new TypeError("why") }))
    sentry.capture(new Error("ignored"))
    await sentry.flush()
    expect(sentry.items.map((event) => event["exception"].values.map(({ value }: { value: string }) => value))).toEqual(
      [["why", "told"]],
    )
    expect(sentry.items[0]?.["contexts"].trace).toMatchObject({ trace_id: TRACE_ID, span_id: "b7ad6b7169203331" })
    expect(sentry.headers[0]?.["trace"]).toEqual(samplingContext)
    expect(sentry.losses).toEqual(["ignored/error=1"])
  })

  test("refusals and failures are counted", async () => {
    const { sentryClient } = await load()
    for (const [answer, loss] of [
      [() => ({ statusCode: 500 }), "send_error/error=1"],
      [() => ({ statusCode: 429 }), "ratelimit_backoff/error=1"],
      [() => Promise.reject(new Error("gone")), "network_error/error=1"],
    ] as const) {
      const sentry = sentryClient({ answer })
      sentry.capture(new Error("boom"))
      await sentry.flush()
      expect([sentry.items, sentry.losses]).toEqual([[], [loss]])
    }
  })
})
