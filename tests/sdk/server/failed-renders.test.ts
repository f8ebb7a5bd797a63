import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { reportRequestError } from "#otel/sdk/server/request-errors.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

let sentry: RecordingSentry

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  startServer({ SENTRY_DSN: sentry.dsn, NODE_ENV: "production" })
})

afterAll(() => sentry?.close())

beforeEach(() => sentry.clear())

async function reported(digest: string) {
  reportRequestError(
    Object.assign(new TypeError(`ended by ${digest}`, { cause: new Error("why") }), { digest }),
    { path: "/items/7", method: "GET", headers: {} },
    { routerKind: "App Router", routePath: "/items/[id]", routeType: "render", revalidateReason: undefined },
  )
  await serverRuntime()?.flush()
  return sentry.errors()
}

test("a component that fails after its render's span has ended fails the request, as it streams with Next 15", async () => {
  const tracer = trace.getTracer("next.js")
  const request = tracer.startSpan("GET /late", { kind: SpanKind.SERVER, root: true })
  const inRequest = trace.setSpan(context.active(), request)
  const attributes = { "next.span_type": "AppRender.getBodyResult" }
  const render = tracer.startSpan("render route (app) /late", { attributes }, inRequest)
  render.end()
  context.with(trace.setSpan(inRequest, render), () =>
    reportRequestError(
      Object.assign(new Error("thrown while it streams"), { digest: "1717" }),
      { path: "/late", method: "GET", headers: {} },
      { routerKind: "App Router", routePath: "/late", routeType: "render", revalidateReason: undefined },
    ),
  )
  const { status, events } = request as unknown as ReadableSpan
  expect(status.code).toBe(SpanStatusCode.ERROR)
  expect(events).toMatchObject([
    { name: "exception", attributes: { "exception.message": "thrown while it streams", "error.digest": "1717" } },
  ])
  request.end()
  await serverRuntime()?.flush()
})

test.each(["DYNAMIC_SERVER_USAGE", "BAILOUT_TO_CLIENT_SIDE_RENDERING"])(
  "a static render that ends with %s is an error of the request for which Next has no other render",
  async (digest) => {
    const [error, ...others] = await reported(digest)
    expect(others).toEqual([])
    expect(error).toMatchObject({ transaction: "GET /items/[id]", tags: { "error.digest": digest } })
    expect(error?.["exception"].values).toMatchObject([
      { type: "Error", value: "why" },
      {
        type: "TypeError",
        value: `ended by ${digest}`,
        mechanism: { type: "auto.function.nextjs.on_request_error", handled: false },
      },
    ])
  },
)

test.each(["NEXT_REDIRECT;replace;/;307;", "NEXT_HTTP_ERROR_FALLBACK;404", "NEXT_PRERENDER_INTERRUPTED"])(
  "%s is none, even if Next passes it as one",
  async (digest) => {
    expect(await reported(digest)).toEqual([])
  },
)
