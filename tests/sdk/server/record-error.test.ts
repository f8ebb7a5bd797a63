import { BasicTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { recordError } from "#otel/sdk/server/request-errors.ts"

function eventsOf(thrown: unknown) {
  const span = new BasicTracerProvider().getTracer("test").startSpan("span")
  recordError(span, thrown, "converted to text")
  return (span as unknown as ReadableSpan).events.map(({ name, attributes }) => ({ name, attributes }))
}

test("an error is an exception event, with Next's digest if it has one", () => {
  const error = new TypeError("boom")
  const attributes = {
    "exception.type": "TypeError",
    "exception.message": "boom",
    "exception.stacktrace": expect.stringMatching(/^TypeError: boom\n/),
  }
  expect(eventsOf(error)).toEqual([{ name: "exception", attributes }])
  const digest = "1717171717"
  expect(eventsOf(Object.assign(error, { digest }))).toEqual([
    { name: "exception", attributes: { ...attributes, "error.digest": digest } },
  ])
})

test("an error with a code is named by its class, as Sentry names it", () => {
  const types = (thrown: unknown) => eventsOf(thrown).map(({ attributes }) => attributes?.["exception.type"])
  expect(types(Object.assign(new TypeError("boom"), { code: "ECONNREFUSED" }))).toEqual(["TypeError"])
})

test("an error that Next has recorded on the span is one event, which gets the digest", () => {
  const span = new BasicTracerProvider().getTracer("test").startSpan("span")
  const digests = () => (span as unknown as ReadableSpan).events.map(({ attributes }) => attributes?.["error.digest"])
  const thrown = () => Object.assign(new TypeError("boom"), { digest: "1717" })
  const [first, second] = [thrown(), thrown()]
  second.stack = first.stack ?? ""
  for (const error of [first, second]) {
    span.recordException(error)
    recordError(span, error, "")
  }
  expect(digests()).toEqual(["1717", "1717"])
  recordError(span, Object.assign(new TypeError("another"), { digest: "18" }), "")
  expect(digests()).toEqual(["1717", "1717", "18"])
  const withoutDigest = new RangeError("of a route handler")
  span.recordException(withoutDigest)
  recordError(span, withoutDigest, "")
  expect(digests()).toEqual(["1717", "1717", "18", undefined])
})

test("an error whose texts the span has cut is one event too", () => {
  const provider = new BasicTracerProvider({ spanLimits: { attributeValueLengthLimit: 10 } })
  const span = provider.getTracer("test").startSpan("span")
  const error = Object.assign(new Error("a long message"), { digest: "1717" })
  span.recordException(error)
  recordError(span, error, "")
  expect((span as unknown as ReadableSpan).events).toHaveLength(1)
})

test("a thrown value that is not an error is recorded as its text", () => {
  const attributes = { "exception.message": "converted to text" }
  for (const thrown of ["text", undefined, { digest: "7" }])
    expect(eventsOf(thrown)).toEqual([{ name: "exception", attributes }])
})

test("an error outside a span is not recorded", () => {
  expect(() => recordError(undefined, new Error("boom"), "")).not.toThrow()
})
