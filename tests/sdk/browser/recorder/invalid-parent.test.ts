import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, type SpanContext, trace } from "@opentelemetry/api"
import { expect, test } from "vitest"
import { PageSampling } from "#otel/sdk/browser/delivery/page-sampling.ts"
import { Recorder, type RecorderOptions } from "#otel/sdk/browser/recorder/recorder.ts"
import { createSuccessor } from "#otel/sdk/browser/recorder/successor.ts"

const VALID = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 0 }
const create = {
  "the recorder": (options: RecorderOptions) => new Recorder(options),
  "OpenTelemetry's SDK": createSuccessor,
}

/** @see https://opentelemetry.io/docs/specs/otel/trace/api/#determining-the-parent-span-from-a-context */
test.each(Object.entries(create))("a span of %s below an invalid context begins a trace, which is sampled", (_, by) => {
  const sampling = new PageSampling()
  sampling.learn(1)
  const resource = { attributes: {} } as RecorderOptions["resource"]
  const tracer = by({ resource, listeners: [], isSampled: (...given) => sampling.decide(...given) }).getTracer("app")
  const flagsBelow = (parent: SpanContext) =>
    tracer.startSpan("work", {}, trace.setSpanContext(ROOT_CONTEXT, parent)).spanContext().traceFlags
  expect(flagsBelow(INVALID_SPAN_CONTEXT)).toBe(1)
  expect(flagsBelow({ ...VALID, traceId: "0".repeat(32) })).toBe(1)
  expect(flagsBelow({ ...VALID, spanId: "" })).toBe(1)
  expect(flagsBelow(VALID)).toBe(0)
})
