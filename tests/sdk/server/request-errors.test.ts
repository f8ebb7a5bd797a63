import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import * as Sentry from "@sentry/nextjs"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { reportRequestError } from "#otel/sdk/server/request-errors.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

let sentry: RecordingSentry

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  startServer({ SENTRY_DSN: sentry.dsn, NODE_ENV: "production" })
})

afterAll(() => sentry?.close())

beforeEach(() => sentry.clear())

const RENDER = "AppRender.getBodyResult"
const HANDLER = "AppRouteRouteHandlers.runHandler"

/** A request, and a step of Next's in it. */
function started(type: string): { readonly request: Span; readonly step: Span } {
  const tracer = trace.getTracer("next.js")
  const attributes = { "next.span_type": "BaseServer.handleRequest", "http.method": "GET", "http.target": "/items/7" }
  const request = tracer.startSpan("GET /items/[id]", { kind: SpanKind.SERVER, root: true, attributes })
  const step = tracer.startSpan(type, { attributes: { "next.span_type": type } }, within(request))
  return { request, step }
}

function within(span: Span) {
  return trace.setSpan(context.active(), span)
}

/** Reports the error as Next does while a span is active, and returns what Sentry got. */
async function report(error: Error, active?: Span) {
  context.with(active === undefined ? context.active() : within(active), () =>
    reportRequestError(
      error,
      { path: "/items/7", method: "GET", headers: {} },
      { routerKind: "App Router", routePath: "/items/[id]", routeType: "render", revalidateReason: undefined },
    ),
  )
  await serverRuntime()?.flush()
  return sentry.errors()
}

/** The messages of the span's `exception` events. */
function recordedOn(span: Span): unknown[] {
  return (span as unknown as ReadableSpan).events.map(({ attributes }) => attributes?.["exception.message"])
}

function statusOf(span: Span): SpanStatusCode {
  return (span as unknown as ReadableSpan).status.code
}

test("an error of a route handler is recorded once, on its run, which Sentry names too", async () => {
  const { request, step } = started(HANDLER)
  const error = new Error("thrown by a handler")
  step.recordException(error)
  step.end()
  const [event, ...others] = await report(error, request)
  expect(others).toEqual([])
  expect([recordedOn(step), recordedOn(request)]).toEqual([["thrown by a handler"], []])
  expect(statusOf(request)).toBe(SpanStatusCode.ERROR)
  expect(event?.["contexts"].trace).toMatchObject({
    trace_id: request.spanContext().traceId,
    span_id: step.spanContext().spanId,
  })
})

test("an error that the app captures where Next logs it is sent once, for the run that recorded it", async () => {
  const { request, step } = started(HANDLER)
  const error = new Error("thrown by a handler")
  step.recordException(error)
  step.end()
  context.with(within(request), () => void Sentry.captureException(error))
  const [event, ...others] = await report(error, request)
  expect(others).toEqual([])
  expect(event?.["contexts"].trace.span_id).toBe(step.spanContext().spanId)
})

test("an error with a code, as those of Prisma and Node have, has one type for Sentry and for collectors: its class", async () => {
  const { request, step } = started(HANDLER)
  const error = Object.assign(new RangeError("the table does not exist"), { code: "P2021" })
  // As Next's tracer does.
  step.recordException(error)
  step.setAttribute("error.type", error.name)
  step.end()
  const [event] = await report(error, request)
  const { events } = sanitizeSpan(step as unknown as ReadableSpan)
  expect(events.map(({ attributes }) => attributes?.["exception.type"])).toEqual(["RangeError"])
  expect(event?.["exception"].values[0].type).toBe("RangeError")
})

test("another error than the one that a step recorded is recorded on the request", async () => {
  const { request, step } = started(HANDLER)
  step.recordException(new Error("caught by the app"))
  step.end()
  await report(new Error("thrown later"), request)
  expect([recordedOn(step), recordedOn(request)]).toEqual([["caught by the app"], ["thrown later"]])
})

test("an error of a render has Next's digest, once, on the span of the render", async () => {
  const { request, step } = started(RENDER)
  const error = Object.assign(new Error("thrown by a component"), { digest: "1717" })
  step.recordException(error)
  const [event] = await report(error, step)
  expect([recordedOn(step), recordedOn(request)]).toEqual([["thrown by a component"], []])
  expect((step as unknown as ReadableSpan).events[0]?.attributes).toMatchObject({ "error.digest": "1717" })
  expect(event?.["contexts"].trace.span_id).toBe(step.spanContext().spanId)
})

test("a component that fails after its render's span has ended fails the request, as it streams with Next 15", async () => {
  const { request, step } = started(RENDER)
  step.end()
  const error = Object.assign(new Error("thrown while it streams"), { digest: "1718" })
  const [event] = await report(error, step)
  expect([recordedOn(step), recordedOn(request)]).toEqual([[], ["thrown while it streams"]])
  expect(statusOf(request)).toBe(SpanStatusCode.ERROR)
  expect(event?.["contexts"].trace.span_id).toBe(request.spanContext().spanId)
})

/** What React's client gets of a server component's error. */
const standIn = (digest: string) =>
  Object.assign(new Error("An error occurred in the Server Components render. The specific message is omitted"), {
    digest,
  })

test("an error of generateMetadata has its own message, where Next 15 reports React's stand-in for it", async () => {
  const { request, step } = started(RENDER)
  const attributes = { "next.span_type": "ResolveMetadata.generateMetadata" }
  const metadata = trace.getTracer("next.js").startSpan("generateMetadata /items", { attributes }, within(step))
  metadata.recordException(new RangeError("thrown for a title"))
  metadata.end()
  step.recordException(standIn("1719"))
  step.end()
  const [event, ...others] = await report(standIn("1719"), step)
  expect(others).toEqual([])
  expect([metadata, step, request].map(recordedOn)).toEqual([["thrown for a title"], [], ["thrown for a title"]])
  expect((request as unknown as ReadableSpan).events[0]?.attributes).toMatchObject({
    "error.digest": "1719",
    "exception.type": "RangeError",
  })
  expect(event?.["exception"].values[0]).toMatchObject({ type: "RangeError", value: "thrown for a title" })
  expect(event?.["exception"].values[0].stacktrace.frames.length).toBeGreaterThan(0)
  expect(event?.["tags"]["error.digest"]).toBe("1719")
})

test("React's stand-in for an error is not recorded beside the error, and stays where the error is not known", async () => {
  const { request, step } = started(RENDER)
  await report(Object.assign(new Error("thrown by a component"), { digest: "1720" }), step)
  step.recordException(standIn("1720"))
  step.end()
  expect(recordedOn(step)).toEqual(["thrown by a component"])
  const unknown = standIn("1721")
  request.recordException(unknown)
  await report(unknown, request)
  request.end()
  expect(recordedOn(request)).toEqual([unknown.message])
})

/** Records an error on a span as Next does. */
function recordAsNext(span: Span, error: Error): void {
  span.recordException(error)
  span.setAttribute("error.type", error.name)
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message })
}

class ProcedureError extends Error {
  override readonly name = "ProcedureError"
  readonly code = "BAD_REQUEST"
}

test("a render is failed by the error, named by its class as for Sentry, and not by React's stand-in that Next 15 records after it", async () => {
  const { step } = started(RENDER)
  const error = Object.assign(new ProcedureError("no such item"), { digest: "1722" })
  recordAsNext(step, error)
  const [event] = await report(error, step)
  recordAsNext(step, standIn("1722"))
  step.end()
  const { attributes, events, status } = sanitizeSpan(step as unknown as ReadableSpan)
  expect(events.map(({ attributes: each }) => each?.["exception.type"])).toEqual(["ProcedureError"])
  expect(event?.["exception"].values[0].type).toBe("ProcedureError")
  expect(attributes["error.type"]).toBe("ProcedureError")
  expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "no such item" })
})

test("a server component's error is recorded once in next dev too, where React's client gets a copy of it", async () => {
  const { step } = started(RENDER)
  const error = Object.assign(new ProcedureError("no such item"), { digest: "1723" })
  recordAsNext(step, error)
  await report(error, step)
  const stack =
    "ProcedureError: no such item\n    at Page (about://React/Server/file:///app/.next/server/page.js?15:4:2)"
  recordAsNext(step, Object.assign(new Error(error.message), { name: error.name, digest: error.digest, stack }))
  step.end()
  expect(recordedOn(step)).toEqual(["no such item"])
  expect((step as unknown as ReadableSpan).events[0]?.attributes).toMatchObject({ "error.digest": "1723" })
})

test("an error outside a request reaches Sentry", async () => {
  expect(await report(new Error("thrown by no request"))).toHaveLength(1)
})

/** An error by which Next ends a render. */
const ended = (digest: string) =>
  Object.assign(new TypeError(`ended by ${digest}`, { cause: new Error("why") }), { digest })

test.each(["DYNAMIC_SERVER_USAGE", "BAILOUT_TO_CLIENT_SIDE_RENDERING"])(
  "a static render that ends with %s is an error of the request for which Next has no other render",
  async (digest) => {
    const [error, ...others] = await report(ended(digest))
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

test.each(["DYNAMIC_SERVER_USAGE", "BAILOUT_TO_CLIENT_SIDE_RENDERING"])(
  "an error that ends a static render with %s is recorded once, on the render, which Sentry names too",
  async (digest) => {
    const { request, step } = started(RENDER)
    const error = ended(digest)
    step.recordException(error)
    step.end()
    const [event, ...others] = await report(error, step)
    expect(others).toEqual([])
    expect([recordedOn(step), recordedOn(request)]).toEqual([[`ended by ${digest}`], []])
    expect(statusOf(request)).toBe(SpanStatusCode.ERROR)
    expect(event?.["contexts"].trace.span_id).toBe(step.spanContext().spanId)
  },
)

test.each(["NEXT_REDIRECT;replace;/;307;", "NEXT_HTTP_ERROR_FALLBACK;404", "NEXT_PRERENDER_INTERRUPTED"])(
  "%s is none, even if Next passes it as one",
  async (digest) => {
    expect(await report(ended(digest))).toEqual([])
  },
)
