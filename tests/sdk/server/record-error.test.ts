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

test("a thrown value that is not an error is recorded as its text", () => {
  const attributes = { "exception.message": "converted to text" }
  for (const thrown of ["text", undefined, { digest: "7" }])
    expect(eventsOf(thrown)).toEqual([{ name: "exception", attributes }])
})

test("an error outside a span is not recorded", () => {
  expect(() => recordError(undefined, new Error("boom"), "")).not.toThrow()
})
