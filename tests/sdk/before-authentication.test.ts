import { maxHeaderSize } from "node:http"
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { splitEnvelope } from "#otel/protocol/sentry/split-envelope.ts"
import { processState } from "#otel/sdk/process-state.ts"
import { setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { reportRequestError } from "#otel/sdk/server/request-errors.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { resolveClient } from "#otel/sdk/tunnel/client-address.ts"
import { parsePageDrops } from "#otel/sdk/tunnel/page-drop-reports.ts"
import { preparePageSpans } from "#otel/sdk/tunnel/page-spans.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { superlinearGrowth } from "#tests/architecture/superlinear.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { envelopeText, post } from "./tunnel/tunnel-runtime.ts"

/**
 * What each entry point of the SDK may cost before anybody is authenticated: the table under "SDK" in `SECURITY.md`. Bytes are
 * exact. For CPU, 16 times as much input may cost 48 times as much, whatever it consists of.
 */

const KIB = 1024
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  startServer({ SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
})

afterAll(async () => {
  await serverRuntime()?.flush()
  await Promise.all([sentry.close(), collector.close()])
})

beforeEach(() => {
  processState("tunnel").value = undefined
  sentry.clear()
  collector.clear()
})

/** Texts of a repeated part, as `superlinearGrowth` makes them. */
const pumps = (prefix: string, suffix: string, ...parts: string[]) =>
  parts.map((pumped) => ({ prefix, pumped, suffix }))

describe("the error hook", () => {
  const request = { path: "/reset", method: "GET", headers: {} }
  const where = {
    routerKind: "App Router",
    routePath: "/reset",
    routeType: "route",
    revalidateReason: undefined,
  } as const

  test("sends at most 64 KiB of a text that a visitor may have chosen", async () => {
    const root = trace.getTracer("test").startSpan("GET /reset", { root: true })
    context.with(trace.setSpan(context.active(), root), () =>
      reportRequestError(new Error("x ".repeat(KIB * KIB)), request, where),
    )
    root.end()
    await serverRuntime()?.flush()
    const span = await collector.waitForSpan("of the request", ({ events }) => events.length > 0)
    const limit = 64 * KIB + "[Filtered]".length
    for (const text of span.events[0]?.attributes.values() ?? []) expect(String(text).length).toBeLessThanOrEqual(limit)
    const event = await sentry.waitForError("of the request", () => true)
    expect(event["exception"].values[0].value.length).toBeLessThanOrEqual(limit)
  })
})

describe("POST to the tunnel", () => {
  test("costs CPU in proportion to its bytes, for spans of any shape", () => {
    const latest = fromMilliseconds(Date.now())
    const settings = { service: "shop-browser", environment: "production" }
    setLocalInspector({ spans: async () => undefined, drop: () => undefined, refusal: () => undefined })
    onTestFinished(() => setLocalInspector(undefined))
    const work = (text: string) => {
      const decoded = decodeTraces(Buffer.from(text), "json", { latest, maxSpans: 2_048 })
      if (decoded.ok) preparePageSpans(decoded.spans, settings)
    }
    const span = `"traceId":"${TRACE_ID}","spanId":"00000000000000aa","startTimeUnixNano":"1","endTimeUnixNano":"1"`
    const inSpans = pumps('{"resourceSpans":[{"scopeSpans":[{"spans":[', "{}]}]}]}", `{${span}},`, "{},", "[[],", "1,")
    const inAttributes = pumps(
      `{"resourceSpans":[{"scopeSpans":[{"spans":[{${span},"attributes":[`,
      "{}]}]}]}]}",
      '{"key":"a","value":{"stringValue":"b"}},',
      '{"key":"a"},',
    )
    const inGroups = pumps('{"resourceSpans":[', "{}]}", '{"scopeSpans":[{}]},', '{"resource":{"attributes":[{}]}},')
    const inText = pumps(
      `{"resourceSpans":[{"scopeSpans":[{"spans":[{${span},"name":"`,
      '"}]}]}]}',
      "a",
      "eyJ-",
      "://",
      "é",
      String.raw`\u0000`,
    )
    const unfinished = pumps('{"resourceSpans":', "", "[", '{"resourceSpans":[', '"', "1234567890123456789,")
    for (const { prefix, pumped, suffix } of [inSpans[0]!, inAttributes[0]!, inGroups[0]!, inText[0]!])
      expect(decodeTraces(Buffer.from(prefix + pumped + suffix), "json", { latest, maxSpans: 2_048 }).ok).toBe(true)
    for (const all of [inSpans, inAttributes, inGroups, inText, unfinished])
      expect(superlinearGrowth(work, all)).toBeUndefined()
  })

  test("costs CPU in proportion to its bytes, for envelopes of any shape", () => {
    const work = (text: string) => splitEnvelope(Buffer.from(text))
    const shapes = pumps("{}\n", "", "\n", "\r\n", '{"type":"a"}\n\n', '{"type":"a","length":0}\n\n', "{", '{"a":', "[")
    expect(superlinearGrowth(work, shapes)).toBeUndefined()
    expect(superlinearGrowth(work, pumps("", "", "{", '{"a":', " ", '"'))).toBeUndefined()
  })

  test("for settings reads no byte of the body", async () => {
    let pulled = 0
    const body = new ReadableStream(
      { pull: (controller) => (pulled++ < 100 ? controller.enqueue(new Uint8Array(KIB)) : controller.close()) },
      { highWaterMark: 0 },
    )
    const headers = { host: "shop.example", "content-type": "application/vnd.pagespan.settings+json" }
    const init = { method: "POST", body, headers, duplex: "half" } as RequestInit
    const response = await tunnelHandler(new Request("http://shop.example/monitoring", init))
    expect([response.status, pulled]).toEqual([200, 0])
  })

  test.each([
    ["another origin", { origin: "https://evil.example" }, 403],
    ["an unknown content encoding", { "content-encoding": "snappy" }, 415],
    ["a declared length over the limit", { "content-length": String(KIB * KIB + 1) }, 413],
  ])("of %s is refused before a byte of the body is read", async (_, headers, status) => {
    let pulled = 0
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const init = { method: "POST", body, headers: { host: "shop.example", ...headers }, duplex: "half" } as RequestInit
    const response = await tunnelHandler(new Request("http://shop.example/monitoring", init))
    expect([response.status, pulled]).toEqual([status, 0])
  })

  test("reads 4 KiB of drop reports, in linear time, and 512 characters of forwarded addresses", () => {
    const entry = "k1:noisy_error/error=1"
    const header = (length: number) => entry + ",noisy_error/error=1".repeat(500).slice(0, length - entry.length)
    const exact = [...Array(40).keys()].map((cut) => header(4 * KIB - cut)).find((text) => parsePageDrops(text))
    expect(exact?.length).toBeGreaterThan(4 * KIB - 40)
    expect(parsePageDrops(`${exact}${";k2:noisy_error/error=1".repeat(2)}`)).toBeUndefined()
    expect(superlinearGrowth(parsePageDrops, pumps("", "", "k1:", "a/b=1,", ";", "a"))).toBeUndefined()
    const visitors = pumps("", "203.0.113.9", "1.2.3.4,", ",", ":", "[", "a", "::ffff:")
    expect(superlinearGrowth((text) => resolveClient(text, "10.0.0.2", undefined), visitors)).toBeUndefined()
    expect(resolveClient(`203.0.113.9, ${" ".repeat(512)}`, undefined, 1)).toBe("unknown")
  })
})

describe("headers of any request", () => {
  test("have at most 16 KiB together, as Node reads them", () => {
    expect(maxHeaderSize).toBe(16 * KIB)
  })

  test("name at most 64 members of baggage that are decoded, however many there are", () => {
    const ids = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`, "sentry-trace": `${TRACE_ID}-b7ad6b7169203331-1` }
    const getter = { get: (carrier: Record<string, string>, key: string) => carrier[key], keys: Object.keys }
    const decode = vi.spyOn(globalThis, "decodeURIComponent")
    onTestFinished(() => decode.mockRestore())
    propagation.extract(ROOT_CONTEXT, { ...ids, baggage: "sentry-a=%,".repeat(1_450) }, getter)
    // Sentry's propagator decodes key and value of each member twice, OpenTelemetry's once, ours the value.
    expect(decode.mock.calls.length).toBe(7 * 64)
  })

  test.each(["traceparent", "tracestate", "sentry-trace", "baggage", "user-agent", "referer", "accept-language"])(
    "cost CPU in proportion to their length: %s",
    (name) => {
      const getter = { get: (carrier: Record<string, string>, key: string) => carrier[key], keys: Object.keys }
      const others = {
        traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
        "sentry-trace": `${TRACE_ID}-b7ad6b7169203331-1`,
      }
      const work = (text: string) => {
        const extracted = propagation.extract(ROOT_CONTEXT, { ...others, [name]: text }, getter)
        context.with(extracted, () => trace.getTracer("test").startSpan("GET /").end())
      }
      const parts = ["a", "-", ",", "=", "a=b,", "sentry-a=b,", "sentry-trace_id=%", "eyJ-", "a://", "://", "%", "00-"]
      expect(superlinearGrowth(work, pumps("", "", ...parts))).toBeUndefined()
    },
  )
})

test("the response of a tunnel without a destination holds nothing of the request", async () => {
  const response = await tunnelHandler(post(envelopeText({ dsn: "https://secret@evil.example/1" }, ["event", {}])))
  expect([response.status, await response.text()]).toEqual([403, "This DSN is not the configured one."])
})
