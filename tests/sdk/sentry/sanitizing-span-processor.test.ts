import { ROOT_CONTEXT } from "@opentelemetry/api"
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { SanitizingSpanProcessor } from "#otel/sdk/sentry/sanitizing-span-processor.ts"

function keeping(ended: ReadableSpan[]): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd: (span) => void ended.push(span),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
}

function failing(): SpanProcessor {
  const fail = () => {
    throw new Error("in a processor")
  }
  return { onStart: fail, onEnd: fail, forceFlush: async () => fail(), shutdown: async () => fail() }
}

test("all processors get the same span, and a failing one affects neither the others nor the app", async () => {
  const [first, second]: ReadableSpan[][] = [[], []]
  let failures = 0
  const gate = new SanitizingSpanProcessor([keeping(first!), failing(), keeping(second!)], () => (failures += 1))
  const tracer = new BasicTracerProvider({ spanProcessors: [gate] }).getTracer("test")
  tracer.startSpan("GET /a?token=hunter2", { attributes: { "http.target": "/a?b" } }, ROOT_CONTEXT).end()
  expect(first?.map(({ name }) => name)).toEqual(["GET /a"])
  expect(second?.[0]).toBe(first?.[0])
  expect(failures).toBe(2)
  await expect(gate.forceFlush()).rejects.toThrow("in a processor")
})
