import { context, type Context, SpanKind, trace } from "@opentelemetry/api"
import { NodeSDK } from "@opentelemetry/sdk-node"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { afterAll, beforeAll, expect, test } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { PagespanSpanProcessor, register } from "#otel/server.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/** An app whose HTTP instrumentation makes a span above that of Next's request, and ends it first. */

const BUILD = {
  routes: ["/items/[id]", "/old/[id]"],
  handlers: ["/api/orders", "/monitoring"],
  basePath: "",
  tunnel: "/monitoring",
  serviceName: "shop",
  traceOrigins: [],
}
const theirs = new InMemorySpanExporter()
let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  Object.assign(globalThis, { __PAGESPAN_BUILD__: JSON.stringify(BUILD), __PAGESPAN_RELEASE__: "c0ffee" })
  const environment = {
    NEXT_RUNTIME: "nodejs",
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  }
  Object.assign(process.env, environment)
  const none = { metricReaders: [], logRecordProcessors: [], instrumentations: [] }
  const spanProcessors = [new SimpleSpanProcessor(theirs), new PagespanSpanProcessor()]
  new NodeSDK({ serviceName: "shop", spanProcessors, ...none }).start()
  await register()
})

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

interface Request {
  readonly method?: string
  /** What Next's step has as its route: before version 16 the path of a file. */
  readonly step?: string
  /** What an instrumentation of a framework has set. */
  readonly known?: string
  readonly name?: string
  readonly path?: string
}

/** As `@opentelemetry/instrumentation-http` and Next trace a request. */
async function request({ method = "GET", step, known, name = method, path = "/items/7" }: Request): Promise<string> {
  const tracer = trace.getTracer("next.js")
  const above = (span: Parameters<typeof trace.setSpan>[1], outer: Context) => trace.setSpan(outer, span)
  const outer = trace
    .getTracer("@opentelemetry/instrumentation-http")
    .startSpan(name, { kind: SpanKind.SERVER, attributes: { "http.request.method": method, "url.path": path } })
  if (known !== undefined) outer.setAttribute("http.route", known)
  const inOuter = above(outer, context.active())
  const attributes = { "next.span_type": "BaseServer.handleRequest", "http.method": method, "http.target": path }
  const own = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, inOuter)
  const inOwn = above(own, inOuter)
  if (step !== undefined) {
    const render = { "next.span_type": "AppRender.getBodyResult", "next.route": step }
    const page = { "next.span_type": "NextNodeServer.findPageComponents", "next.route": step }
    tracer.startSpan("resolve page components", { attributes: page }, inOwn).end()
    tracer.startSpan(`render route (app) ${step}`, { attributes: render }, inOwn).end()
  }
  outer.end()
  own.end()
  await serverRuntime()!.flush()
  return outer.spanContext().spanId
}

const REQUESTS: readonly (readonly [Request, name: string, route: string | undefined])[] = [
  [{ step: "/items/[id]" }, "GET /items/[id]", "/items/[id]"],
  [{ method: "POST", step: "/api/orders/route" }, "POST /api/orders", "/api/orders"],
  [{ step: "/items/[id]", known: "/known" }, "GET", "/known"],
  [{ step: "/items/[id]", name: "my own name" }, "my own name", undefined],
  [{}, "GET", undefined],
]

test.each(REQUESTS)("the span above a request of Next, %o, is named %s", async (asked, name, route) => {
  const spanId = await request(asked)
  const transaction = sentry.transactions().find(({ contexts }) => contexts.trace.span_id === spanId)
  expect([transaction?.["transaction"], transaction?.["transaction_info"]]).toEqual([
    name,
    { source: route === undefined ? "custom" : "route" },
  ])
  const exported = collector.spans().find((span) => span.spanId === spanId)
  expect([exported?.name, exported?.attributes.get("http.route")]).toEqual([name, route])
  // The app's own exporter gets its spans as they are.
  const own = theirs.getFinishedSpans().find((span) => span.spanContext().spanId === spanId)
  expect([own?.name, own?.attributes["http.route"]]).toEqual([asked.name ?? asked.method ?? "GET", asked.known])
})

test.each([
  ["of the tunnel, also of the app's exporters", "/monitoring", []],
  ["of Next's assets", "/_next/static/chunks/main.js", ["GET", "GET"]],
])("requests %s make no spans, whatever is above them", async (_of, path, names) => {
  const before = theirs.getFinishedSpans().length
  const spanId = await request({ path })
  expect(sentry.transactions().filter(({ contexts }) => contexts.trace.span_id === spanId)).toEqual([])
  expect(collector.spans().filter((span) => span.spanId === spanId || span.parentSpanId === spanId)).toEqual([])
  expect(
    theirs
      .getFinishedSpans()
      .slice(before)
      .map(({ name }) => name),
  ).toEqual(names)
})
