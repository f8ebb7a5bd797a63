import { context, propagation, type Span, SpanKind, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { registerOTel } from "@vercel/otel"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { PagespanSpanProcessor, register } from "#otel/server.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/** Requests that one page sends side by side: they share its trace. `@vercel/otel` expects one request in each trace. */

const BUILD = {
  routes: ["/"],
  handlers: ["/api/history", "/api/chat", "/monitoring"],
  basePath: "",
  tunnel: "/monitoring",
  serviceName: "shop",
  traceOrigins: [],
}
const PAGE = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
const tracer = trace.getTracer("next.js")
const theirs = new InMemorySpanExporter()
let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  Object.assign(globalThis, { __PAGESPAN_BUILD__: JSON.stringify(BUILD), __PAGESPAN_RELEASE__: "c0ffee" })
  Object.assign(process.env, {
    NEXT_RUNTIME: "nodejs",
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  })
  registerOTel({
    serviceName: "shop",
    spanProcessors: [new SimpleSpanProcessor(theirs), new PagespanSpanProcessor()],
  })
  await register()
})

beforeEach(() => theirs.reset())

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

/** As Next's server begins the span of a request of the page. */
function begin(path: string): Span {
  const attributes = { "next.span_type": "BaseServer.handleRequest", "http.method": "GET", "http.target": path }
  return tracer.startSpan("GET", { kind: SpanKind.SERVER, attributes }, propagation.extract(context.active(), PAGE))
}

/** As it ends that span. */
function finish(request: Span, route: string): void {
  request.updateName(`GET ${route}`).setAttributes({ "http.route": route, "http.status_code": 200 }).end()
}

const startBelow = (name: string, parent: Span) => tracer.startSpan(name, {}, trace.setSpan(context.active(), parent))
const namesInTheirs = () => theirs.getFinishedSpans().map(({ name }) => name)

test("a request that ends leaves the spans of the other requests of its page open, everywhere", async () => {
  const first = begin("/api/history")
  const second = begin("/api/chat")
  const stream = startBelow("stream", second)
  finish(first, "/api/history")
  const late = startBelow("query", second)
  late.end()
  expect([second, stream].map((span) => span.isRecording())).toEqual([true, true])
  stream.end()
  finish(second, "/api/chat")
  await serverRuntime()!.flush()
  const names = ["GET /api/history", "query", "stream", "GET /api/chat"]
  expect(namesInTheirs()).toEqual(names)
  expect(new Set(collector.spans().map(({ name }) => name))).toEqual(new Set(names))
  expect(sentry.transactions().map(({ transaction }) => transaction)).toEqual(["GET /api/history", "GET /api/chat"])
  for (const { attributes } of collector.spans().filter(({ name }) => name.startsWith("GET")))
    expect(attributes.get("http.status_code")).toBe(200n)
})

test("a request that ends still ends what it has left open itself", () => {
  const request = begin("/api/history")
  const open = startBelow("open", startBelow("above", request))
  finish(request, "/api/history")
  expect(open.isRecording()).toBe(false)
  expect(namesInTheirs()).toEqual(["above", "open", "GET /api/history"])
})
