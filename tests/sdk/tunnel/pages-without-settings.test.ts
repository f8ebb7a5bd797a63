import { expect, onTestFinished, test } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { recordingSentry } from "./sentry-upstream.ts"
import { envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

/** What a page writes that has no Sentry client yet. */
const SDK = { settings: { infer_ip: "never" } }
/** Half of all traces are sampled: one of these is, by its last 56 bits. */
const RATE = 0.5
const SAMPLED = "0af7651916cd43dd84ffffffffffffff"
const UNSAMPLED = "0af7651916cd43dd8400000000000000"

const trace = (traceId: string, more: object = {}) => ({
  trace: { trace_id: traceId, span_id: "00f067aa0ba902b7", ...more },
})
const transaction = (traceId: string, more: object = {}): [string, object] => [
  "transaction",
  {
    transaction: "/about",
    sdk: SDK,
    spans: [{}, {}],
    contexts: { ...trace(traceId), otel: { resource: { "x.y": 1 } } },
    ...more,
  },
]

/** What the tunnel sends to Sentry of one item that a page without its settings sends, and what it drops. */
async function forwarded(item: [string, object], header: object = {}) {
  const sentry = await recordingSentry()
  const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn }, RATE)
  expect((await tunnelHandler(post(envelopeText(header, item)))).status).toBe(204)
  const [body] = sentry.requests.map((request) => request.body.toString())
  const [sentHeader, , payload] = body?.split("\n").map((line) => JSON.parse(line) as unknown) ?? []
  return {
    header: sentHeader,
    payload,
    drops: drops(),
    changed: body !== undefined && body !== envelopeText(header, item),
  }
}

test("an error of a page without its settings gets environment, release and service, and keeps all else", async () => {
  const event = { message: "boom", contexts: trace(UNSAMPLED), sdk: SDK }
  expect(await forwarded(["event", event], { event_id: "a".repeat(32) })).toEqual({
    header: { event_id: "a".repeat(32) },
    payload: {
      ...event,
      environment: "production",
      release: "1.2.3",
      contexts: { ...event.contexts, otel: { resource: { "service.name": "shop-browser" } } },
    },
    drops: [],
    changed: true,
  })
})

test("a transaction of such a page is sampled by the id of its trace, and counted if it is not", async () => {
  expect(await forwarded(transaction(SAMPLED))).toMatchObject({
    payload: {
      environment: "production",
      contexts: { ...trace(SAMPLED), otel: { resource: { "x.y": 1, "service.name": "shop-browser" } } },
    },
    drops: [],
  })
  expect(await forwarded(transaction(UNSAMPLED))).toMatchObject({
    payload: undefined,
    drops: ["tunnel sample_rate/transaction=1", "tunnel sample_rate/span=3"],
  })
})

test("a transaction that continues a trace keeps the decision of its caller", async () => {
  const contexts = trace(UNSAMPLED, { parent_span_id: "00f067aa0ba902b8" })
  expect(await forwarded(transaction(UNSAMPLED, { contexts }))).toMatchObject({ payload: { contexts }, drops: [] })
})

test.each([
  ["an event with an environment", ["event", { environment: "qa", sdk: SDK }], {}],
  ["an event of another SDK", ["event", { sdk: { ...SDK, name: "sentry.javascript.browser" } }], {}],
  ["a transaction with a sampling context", transaction(UNSAMPLED), { trace: { trace_id: UNSAMPLED } }],
  ["a session", ["session", { sid: "1" }], {}],
  ["an event that is no object", ["event", []], {}],
] as [string, [string, object], object][])("%s is forwarded unchanged", async (_, item, header) => {
  expect(await forwarded(item, header)).toMatchObject({ changed: false, drops: [] })
})

test("spans of such a page are sampled by the ids of the traces that begin in it", async () => {
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  const { drops } = tunnelRuntime({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, RATE)
  const span = (name: string, traceId: string, parentSpanId?: string) => ({
    traceId,
    spanId: "00f067aa0ba902b7",
    ...(parentSpanId && { parentSpanId }),
    name,
    startTimeUnixNano: String(Date.now() * 1e6),
    endTimeUnixNano: String(Date.now() * 1e6),
  })
  const scopeSpans = [
    {
      scope: { name: "pagespan" },
      spans: [
        span("sampled", SAMPLED),
        span("unsampled", UNSAMPLED),
        span("its child", UNSAMPLED, "00f067aa0ba902b7"),
        span("continued", UNSAMPLED.replace("0af", "0ba"), "00f067aa0ba902b8"),
      ],
    },
  ]
  const settled = {
    resource: { attributes: [{ key: "service.name", value: { stringValue: "shop-browser" } }] },
    scopeSpans: [{ spans: [span("of a page with its settings", UNSAMPLED.replace("0af", "0ca"))] }],
  }
  const body = JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans }, settled] })
  await tunnelHandler(post(body, { "content-type": "application/json" }))
  await collector.waitForSpan("of the page", () => true)
  expect(collector.spans().map(({ name }) => name)).toEqual(["sampled", "continued", "of a page with its settings"])
  expect(drops()).toEqual(["tunnel sample_rate/span=2"])
})
