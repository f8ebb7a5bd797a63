import { createRequire } from "node:module"
import { AsyncLocalStorage } from "node:async_hooks"
import { context, propagation, trace } from "@opentelemetry/api"
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { register } from "#otel/server.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"

/**
 * `proxy.ts` on a host that runs it apart from the server, by Next's own adapter: without a span around it, Next makes a root
 * of the type `Next.request`, which has no route, and gives its trace to the request of the page.
 */

const require = createRequire(import.meta.url)
// As Next's server does before it loads the adapter.
Object.assign(globalThis, { AsyncLocalStorage })
const { adapter } = require("next/dist/server/web/adapter.js") as {
  adapter(parameters: object): Promise<{ response: Response }>
}

let sentry: RecordingSentry

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  vi.stubEnv("NEXT_RUNTIME", "nodejs")
  vi.stubEnv("SENTRY_DSN", sentry.dsn)
  await register()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  for (const api of [trace, context, propagation]) api.disable()
  await sentry.close()
})

beforeEach(() => sentry.clear())

/** Runs a proxy for a request, as such a host does. */
async function run(path: string, handler: () => unknown, headers: Record<string, string> = {}) {
  const { response } = await adapter({
    handler,
    page: "/proxy",
    requestStartTime: Date.now(),
    request: {
      headers: { host: "shop.example", ...headers },
      method: "GET",
      url: `http://shop.example${path}`,
      nextConfig: {},
      page: {},
      signal: new AbortController().signal,
    },
  })
  await serverRuntime()?.flush()
  return response
}

const roots = () => sentry.transactions().map(({ transaction }) => transaction)
const next = () => new Response(null, { headers: { "x-middleware-next": "1" } })

test("its run is one transaction with the name of the proxy's span, and the page's request continues its trace", async () => {
  const response = await run("/items/7?token=hunter2", next)
  const root = await sentry.waitForTransaction("of the proxy", () => true)
  expect(roots()).toEqual(["middleware GET"])
  expect(root["transaction_info"]).toEqual({ source: "route" })
  const { trace_id, op, status, data } = root["contexts"].trace
  expect([op, status, data["next.span_type"]]).toEqual(["http.server.middleware", "ok", "Next.request"])
  expect(root["spans"]).toMatchObject([{ op: "http.server.middleware", description: "middleware GET" }])
  expect(response.headers.get("x-middleware-request-traceparent")).toMatch(
    new RegExp(`^00-${trace_id}-[0-9a-f]{16}-01$`),
  )
  expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
})

test("its error is sent once, on its trace", async () => {
  await run("/items/7", () => {
    throw new Error("thrown in the proxy")
  }).catch(() => undefined)
  await serverRuntime()?.flush()
  const error = await sentry.waitForError("of the proxy", () => true)
  const root = await sentry.waitForTransaction("of the proxy", () => true)
  expect(sentry.errors()).toHaveLength(1)
  expect(error["exception"].values.at(-1).value).toBe("thrown in the proxy")
  expect(error["contexts"].trace.trace_id).toBe(root["contexts"].trace.trace_id)
  const runs = [root["contexts"].trace, ...root["spans"]] as Payload[]
  expect(runs.map((span) => span["span_id"])).toContain(error["contexts"].trace.span_id)
})

test("a request with a trace needs no such root: the run of the proxy is its child", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
  await run("/items/7", next, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  const root = await sentry.waitForTransaction("of the proxy", () => true)
  expect(roots()).toEqual(["middleware GET"])
  expect(root["contexts"].trace).toMatchObject({ trace_id: traceId, parent_span_id: "00f067aa0ba902b7" })
  expect(root["contexts"].trace.data["next.span_type"]).toBe("Middleware.execute")
})

test("a request of a file makes no transaction", async () => {
  await run("/_next/static/chunk.js", next)
  await run("/icon.svg", next)
  expect(roots()).toEqual([])
})
