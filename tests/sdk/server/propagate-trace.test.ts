import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { CompositePropagator, W3CBaggagePropagator } from "@opentelemetry/core"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { mayPropagate } from "#otel/protocol/transport/undici-request.ts"
import { propagateTrace } from "#otel/sdk/server/propagate-trace.ts"
import { ServerPropagator } from "#otel/sdk/server/propagator.ts"

describe("an origin that the server requests", () => {
  const listed = new Set(["https://cart.example", "http://cart.internal:8080"])

  test.each([
    ["http://localhost:3000", true],
    ["http://127.0.0.1", true],
    ["http://[::1]:4000", true],
    ["https://cart.example", true],
    ["http://cart.internal:8080", true],
    ["http://cart.example", false],
    ["https://cart.example:8443", false],
    ["http://cart.internal", false],
    ["https://cart.example.evil.example", false],
    ["https://evil.example/?https://cart.example", false],
    ["http://127.0.0.1.evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://128.0.0.1", false],
    ["http://10.0.0.7", false],
    ["not an address", false],
    [undefined, false],
  ])("%s gets the trace: %s", (origin, may) => {
    expect(mayPropagate(origin, listed)).toBe(may)
  })
})

describe("a server's own request", () => {
  const OTHER = "f".repeat(32)
  const seen: IncomingHttpHeaders[] = []
  const provider = new NodeTracerProvider()
  let server: Server
  let origin: string

  beforeAll(async () => {
    const own = new ServerPropagator(() => ({ service: "shop", environment: "production" }))
    provider.register({ propagator: new CompositePropagator({ propagators: [own, new W3CBaggagePropagator()] }) })
    propagateTrace([])
    server = createServer(({ headers, url }, response) => {
      seen.push(headers)
      // This name of the machine is none that gets the trace.
      if (url === "/away")
        response.writeHead(302, { location: `${origin.replace("127.0.0.1", "[::ffff:127.0.0.1]")}/` })
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  beforeEach(() => void (seen.length = 0))

  /** Runs in a span. Returns its ids. */
  async function ask(headersOf: (traceId: string) => Record<string, string>, path = "/") {
    const span = provider.getTracer("test").startSpan("request", {}, ROOT_CONTEXT)
    const { traceId, spanId } = span.spanContext()
    const around = propagation.setBaggage(ROOT_CONTEXT, propagation.createBaggage({ b: { value: "2" } }))
    await context.with(trace.setSpan(around, span), () => fetch(`${origin}${path}`, { headers: headersOf(traceId) }))
    span.end()
    return { headers: seen[0] ?? {}, traceId, spanId }
  }

  test("keeps a trace that the app has set itself", async () => {
    const traceparent = `00-${OTHER}-${"1".repeat(16)}-01`
    expect((await ask(() => ({ traceparent }))).headers).toMatchObject({ traceparent })
    expect(seen[0]).not.toHaveProperty("sentry-trace")
  })

  test("keeps another trace of Sentry's, and gets no other headers", async () => {
    const { headers } = await ask(() => ({ "sentry-trace": `${OTHER}-${"1".repeat(16)}-1` }))
    expect(headers["sentry-trace"]).toContain(OTHER)
    expect(headers).not.toHaveProperty("traceparent")
  })

  test("with the same trace from Sentry's SDK also gets traceparent, and no second baggage", async () => {
    const { headers, traceId, spanId } = await ask((id) => ({
      "sentry-trace": `${id}-${"1".repeat(16)}-1`,
      baggage: `sentry-trace_id=${id}`,
    }))
    expect(headers).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01`, baggage: `sentry-trace_id=${traceId}` })
  })

  test("keeps the app's own baggage", async () => {
    expect((await ask(() => ({ baggage: "a=1" }))).headers).toMatchObject({ baggage: "a=1, b=2" })
  })

  test("leaves the trace behind when it is redirected to an origin that is not listed", async () => {
    const { traceId } = await ask(() => ({ "x-own": "1" }), "/away")
    expect(seen[0]).toMatchObject({ traceparent: expect.stringContaining(traceId), "x-own": "1" })
    // Undici takes the app's own headers along.
    expect(seen[1]).toMatchObject({ "x-own": "1" })
    for (const name of ["traceparent", "sentry-trace", "baggage"]) expect(seen[1]).not.toHaveProperty(name)
  })

  test("outside a trace has no trace headers", async () => {
    await context.with(ROOT_CONTEXT, () => fetch(origin))
    expect(seen[0]).not.toHaveProperty("traceparent")
    expect(seen[0]).not.toHaveProperty("sentry-trace")
  })
})
