import { context, propagation, type Span, SpanKind, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, SimpleSpanProcessor, type SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Sentry from "@sentry/nextjs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { defaultFilters, setFilters } from "#otel/filters.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { localInspector, setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { onRequestError, PagespanSpanProcessor, register } from "#otel/server.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

const BUILD = {
  routes: ["/items/[id]", "/private"],
  handlers: ["/api/edge", "/monitoring"],
  basePath: "",
  tunnel: "/monitoring",
  serviceName: "of-the-package",
  traceOrigins: [],
}
const SECRET = "hunter2hunter2"
const CALLER = "c".repeat(32)
const tracer = trace.getTracer("next.js")

/** A request as Next's server traces it: in the propagated context, with a name that it knows at the end. */
interface Request {
  readonly method?: string
  readonly path: string
  readonly route?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function request<Result>(
  { method = "GET", path, route, headers = {} }: Request,
  work: (root: Span) => Result | Promise<Result>,
): Promise<Result> {
  return context.with(propagation.extract(context.active(), headers), () => {
    const attributes = { "next.span_type": "BaseServer.handleRequest", "http.method": method, "http.target": path }
    return tracer.startActiveSpan(method, { kind: SpanKind.SERVER, attributes }, async (root) => {
      try {
        return await work(root)
      } finally {
        if (route !== undefined) root.updateName(`${method} ${route}`).setAttribute("http.route", route)
        root.setAttribute("http.status_code", 200).end()
      }
    })
  })
}

function child(name: string, attributes = {}): void {
  tracer.startSpan(name, { attributes }).end()
}

/** What Next would write into the HTML that it renders now. */
function metaElements(): Record<string, string> {
  const written: { key: string; value: string }[] = []
  propagation.inject(context.active(), written, { set: (to, key, value) => void to.push({ key, value }) })
  return Object.fromEntries(written.map(({ key, value }) => [key, value]))
}

/**
 * Tests of a server whose tracer an SDK of the app provides.
 *
 * @param start sets that SDK up with the processors, and with the service name `shop`.
 */
export function testJoinedServer(start: (processors: SpanProcessor[]) => void): void {
  const theirs = new InMemorySpanExporter()
  const local: SpanRecord[] = []
  const said: string[] = []
  let sentry: RecordingSentry
  let collector: RecordingCollector

  const namesInTheirs = () => theirs.getFinishedSpans().map(({ name }) => name)
  const namesInCollector = () => collector.spans().map(({ name }) => name)
  const flush = async () => void (await serverRuntime()?.flush())

  beforeAll(async () => {
    sentry = await new RecordingSentry().listen()
    collector = await new RecordingCollector().listen()
    console.warn = (line: string) => void said.push(line)
    Object.assign(globalThis, { __PAGESPAN_BUILD__: JSON.stringify(BUILD), __PAGESPAN_RELEASE__: "c0ffee" })
    Object.assign(process.env, {
      NEXT_RUNTIME: "nodejs",
      SENTRY_DSN: sentry.dsn,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    })
    setFilters({
      ...defaultFilters,
      transactions: [{ name: "private", reason: "ignored", drops: ({ name }) => name.includes("/private") }],
    })
    setLocalInspector({
      spans: async (records) => void local.push(...records),
      drop: () => undefined,
      refusal: () => undefined,
    })
    start([new SimpleSpanProcessor(theirs), new PagespanSpanProcessor()])
    // Before anything of Pagespan has loaded.
    await request({ path: "/items/1", route: "/items/[id]" }, () => child("early"))
    await register()
  })

  afterAll(async () => {
    setLocalInspector(undefined)
    await sentry?.close()
    await collector?.close()
  })

  test("register resolves when the processor works, and registers nothing beside it", async () => {
    expect(serverRuntime()).toBeDefined()
    expect(said).toEqual([])
    const { resource } = (await request({ path: "/items/1" }, (root) => root)) as unknown as {
      resource: { attributes: Record<string, unknown> }
    }
    expect(resource.attributes["service.name"]).toBe("shop")
  })

  test("a request from before the SDK had loaded arrives", async () => {
    await flush()
    expect(namesInCollector()).toEqual(expect.arrayContaining(["early", "GET /items/[id]"]))
  })

  test("a request is one trace in Sentry, the collector and the inspector, named by its route, without its query", async () => {
    const headers = { traceparent: `00-${CALLER}-${"b".repeat(16)}-01`, "user-agent": "probe/1" }
    await request({ path: `/items/7?token=${SECRET}`, route: "/items/[id]", headers }, () =>
      child(`fetch GET https://cart.test/?token=${SECRET}`, { "http.url": `https://cart.test/?token=${SECRET}` }),
    )
    await flush()
    const transaction = sentry.transactions().find(({ contexts }) => contexts.trace.trace_id === CALLER)!
    expect(transaction).toMatchObject({ transaction: "GET /items/[id]", release: "c0ffee" })
    expect(transaction["spans"]).toHaveLength(1)
    const exported = collector.spans().filter(({ traceId }) => traceId === CALLER)
    expect(exported).toHaveLength(2)
    expect(exported.at(-1)?.resource.attributes.get("service.name")).toBe("shop")
    const root = exported.find(({ name }) => name === "GET /items/[id]")
    expect(root?.attributes.get("http.request.header.user-agent")).toEqual(["probe/1"])
    expect(local.filter(({ traceId }) => traceId === CALLER)).toHaveLength(2)
    const sent = [transaction, exported, local].map((each) =>
      JSON.stringify(each, (_, value: unknown) =>
        value instanceof Map ? [...value] : typeof value === "bigint" ? String(value) : value,
      ),
    )
    for (const text of sent) expect(text).not.toContain(SECRET)
  })

  test("an error is sent once, on its request's trace, with the tags of that request alone", async () => {
    const failing = new Error("broken")
    const [first] = await Promise.all(
      ["one", "two"].map((name) =>
        request({ path: `/items/${name}`, route: "/items/[id]" }, async (root) => {
          Sentry.setTag("request", name)
          await new Promise((later) => setImmediate(later))
          if (name === "one") {
            const failed = { path: "/items/one", method: "GET", headers: {} }
            const where = { routerKind: "App Router", routePath: "/items/[id]", routeType: "render" } as const
            await onRequestError(failing, failed, {
              ...where,
              renderSource: "server-rendering",
              revalidateReason: undefined,
            })
            // A hook of the app that reports to Sentry as well.
            Sentry.captureRequestError(failing, failed, where as never)
          } else Sentry.captureException(new Error("another"))
          return root.spanContext().traceId
        }),
      ),
    )
    await flush()
    const errors = sentry.errors()
    const valueOf = (event: (typeof errors)[number]) => event["exception"].values.at(-1).value as string
    expect(errors.map(valueOf).toSorted()).toEqual(["another", "broken"])
    const broken = errors.find((event) => valueOf(event) === "broken")!
    expect(broken).toMatchObject({ tags: { request: "one" }, contexts: { trace: { trace_id: first } } })
    expect(errors.find((event) => valueOf(event) === "another")).toMatchObject({ tags: { request: "two" } })
  })

  test("requests of the tunnel and of the inspector make no spans anywhere, and Next's assets none of ours", async () => {
    theirs.reset()
    const before = [sentry.transactions().length, collector.spans().length, local.length]
    for (const path of ["/monitoring", "/monitoring/?x=1", "/v1/traces", "/api/1/envelope/"])
      await request({ method: "POST", path }, () => child("fetch POST https://sentry.test"))
    await request({ path: "/_next/static/a.js" }, () => child("read a file"))
    await flush()
    expect(namesInTheirs()).toEqual(["read a file", "GET"])
    expect([sentry.transactions().length, collector.spans().length, local.length]).toEqual(before)
  })

  test("a request to another server is a span, whatever its path", async () => {
    await request({ path: "/items/7", route: "/items/[id]" }, () => child("GET", { "http.target": "/robots.txt" }))
    await flush()
    const paths = collector.spans().map(({ attributes }) => attributes.get("http.target"))
    expect(paths).toContain("/robots.txt")
  })

  test("the processors of the app's SDK still get every other span, as it was", async () => {
    theirs.reset()
    await request({ path: "/items/7?page=2", route: "/items/[id]" }, () => child("query"))
    expect(namesInTheirs()).toEqual(["query", "GET /items/[id]"])
    expect(theirs.getFinishedSpans()[1]?.attributes["http.target"]).toBe("/items/7?page=2")
  })

  test("filters drop transactions", async () => {
    await request({ path: "/private", route: "/private" }, () => undefined)
    await flush()
    expect(namesInCollector()).toContain("GET /private")
    expect(sentry.transactions().map(({ transaction }) => transaction)).not.toContain("GET /private")
  })

  test("a request that the edge runtime handles is named by its route", async () => {
    await request({ path: "/api/edge?x=1" }, () => undefined)
    await flush()
    expect(namesInCollector()).toContain("GET /api/edge")
    expect(sentry.transactions().map(({ transaction }) => transaction)).toContain("GET /api/edge")
  })

  test("with NEXT_OTEL_VERBOSE=1, a request is the root, named by its route, whatever Next puts around it", async () => {
    theirs.reset()
    const traceId = "9".repeat(32)
    const caller = { traceparent: `00-${traceId}-${"8".repeat(16)}-01` }
    const around = <Result>(name: string, work: () => Promise<Result>) =>
      tracer.startActiveSpan(name, { attributes: { "next.span_type": name } }, (span) =>
        work().finally(() => span.end()),
      )
    const verbose = (asked: Request) =>
      context.with(propagation.extract(context.active(), caller), () =>
        around("NextServer.getRequestHandler", () =>
          around("NextServer.getServerRequestHandler", () => request(asked, () => child("query"))),
        ),
      )
    await verbose({ path: "/items/9", route: "/items/[id]" })
    await verbose({ path: "/monitoring" })
    await verbose({ path: "/_next/static/a.js" })
    await flush()
    const ofTrace = sentry.transactions().filter(({ contexts }) => contexts.trace.trace_id === traceId)
    expect(ofTrace.map(({ transaction }) => transaction)).toEqual(["GET /items/[id]"])
    expect(ofTrace[0]).toMatchObject({ contexts: { trace: { parent_span_id: "8".repeat(16) } } })
    expect(ofTrace[0]!["spans"]).toHaveLength(1)
    const exported = collector.spans().filter((span) => span.traceId === traceId)
    expect(exported.map(({ name, parentSpanId }) => [name, parentSpanId === "8".repeat(16)])).toEqual([
      ["query", false],
      ["GET /items/[id]", true],
    ])
    expect(namesInTheirs()).toContain("NextServer.getRequestHandler")
  })

  test("a page gets its settings under the service's name, and the trace unless its HTML is shared", async () => {
    const [own, shared] = await request({ path: "/items/7", route: "/items/[id]" }, (root) => {
      const written = metaElements()
      const render = tracer.startSpan("prerender", { attributes: { "next.span_name": "prerender route (app)" } })
      return [
        { written, ids: root.spanContext() },
        context.with(trace.setSpan(context.active(), render), metaElements),
      ] as const
    })
    const { traceId, spanId } = own.ids
    expect(own.written["traceparent"]).toBe(`00-${traceId}-${spanId}-01`)
    expect(own.written["sentry-trace"]).toBe(`${traceId}-${spanId}-1`)
    expect(own.written["baggage"]).toContain(`sentry-trace_id=${traceId}`)
    expect(JSON.parse(own.written["pagespan"] ?? "")).toMatchObject({
      service: "shop-browser",
      dsn: sentry.dsn,
      tunnel: "/monitoring",
    })
    expect(Object.keys(shared)).toEqual(["pagespan"])
  })

  test("a caller's baggage is passed on without its members of Sentry, which are this server's", async () => {
    const headers = {
      traceparent: `00-${CALLER}-${"b".repeat(16)}-01`,
      baggage: `tenant=blue,sentry-trace_id=${CALLER},sentry-environment=forged`,
    }
    const sent: Record<string, string> = {}
    await request({ path: "/items/7", headers }, () => propagation.inject(context.active(), sent))
    expect(sent["baggage"]?.split(",")).toContain("tenant=blue")
    expect(sent["baggage"]).not.toContain("forged")
    expect(sent["baggage"]?.match(/sentry-trace_id=/g)).toHaveLength(1)
  })

  test("HTML has no baggage of the app, which visitors and caches would see", async () => {
    const headers = { traceparent: `00-${CALLER}-${"b".repeat(16)}-01`, baggage: "customer.email=jane%40corp.example" }
    const { baggage } = await request({ path: "/items/7", headers }, metaElements)
    expect(baggage).toContain(`sentry-trace_id=${CALLER}`)
    expect(baggage).not.toContain("customer")
  })

  test("a page's trace whose caller defers the decision is sampled as the page will sample it", async () => {
    const ids = `${"d".repeat(32)}-${"e".repeat(16)}`
    const headers = { traceparent: `00-${ids}-00`, "sentry-trace": ids }
    await request({ path: "/items/8", route: "/items/[id]", headers }, () => undefined)
    await flush()
    expect(collector.spans().map(({ traceId }) => traceId)).toContain("d".repeat(32))
  })

  test("nothing of Pagespan's own deliveries is traced, and nothing was warned of", async () => {
    await flush()
    expect(localInspector()).toBeDefined()
    for (const name of [...namesInTheirs(), ...namesInCollector()]) expect(name).not.toMatch(/127\.0\.0\.1|localhost/)
    expect(said).toEqual([])
  })
}
