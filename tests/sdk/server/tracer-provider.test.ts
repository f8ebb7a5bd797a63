import { context, propagation, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { TraceSampler } from "#otel/sdk/server/sampler.ts"
import { ServerTracerProvider } from "#otel/sdk/server/tracer-provider.ts"

beforeAll(() => new NodeTracerProvider().register())
afterAll(() => {
  for (const api of [trace, context, propagation]) api.disable()
})

const counted: string[] = []
beforeEach(() => void (counted.length = 0))

function tracerAt(rate: 0 | 1) {
  const exporter = new InMemorySpanExporter()
  const sampler = new TraceSampler(
    { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: rate },
    { sampledOut: (category) => counted.push(category), isNeeded: ({ type }) => type === "proxy" },
  )
  const provider = new ServerTracerProvider(
    { sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] },
    { skips: (parent, attributes) => sampler.skips(parent, attributes) },
  )
  return {
    provider,
    tracer: provider.getTracer("test"),
    names: () => exporter.getFinishedSpans().map(({ name }) => name),
  }
}

const idOf = (span: Span) => span.spanContext().spanId

describe("below a span whose trace is not sampled", () => {
  test("a function runs under that span, and the span that it would have had is counted", () => {
    const { tracer } = tracerAt(0)
    tracer.startActiveSpan("GET", (root) => {
      const inner = tracer.startActiveSpan("render", {}, (span) => {
        expect(trace.getActiveSpan()).toBe(root)
        return tracer.startActiveSpan("fetch", {}, context.active(), (deepest) => [span, deepest])
      })
      expect(inner.map(idOf)).toEqual([idOf(root), idOf(root)])
    })
    expect(counted).toEqual(["transaction", "span", "span", "span"])
  })

  test("a span that is needed is recorded", () => {
    const { tracer } = tracerAt(0)
    tracer.startActiveSpan("GET", () =>
      tracer.startActiveSpan("middleware GET", { attributes: { type: "proxy" } }, (span) =>
        expect(span.isRecording()).toBe(true),
      ),
    )
  })

  test("a root, and a span of another context, are their own", () => {
    const { tracer } = tracerAt(0)
    tracer.startActiveSpan("GET", (root) => {
      const others = [
        tracer.startActiveSpan("job", { root: true }, (span) => span),
        tracer.startActiveSpan("job", {}, ROOT_CONTEXT, (span) => span),
      ]
      expect(new Set([root, ...others].map((span) => span.spanContext().traceId)).size).toBe(3)
    })
  })
})

describe("a trace that is sampled", () => {
  test("has all of its spans, and results and errors of functions come through", async () => {
    const { tracer, names } = tracerAt(1)
    const thrown = new Error("thrown")
    await tracer.startActiveSpan("GET", async (root) => {
      expect(tracer.startActiveSpan("render", (span) => (span.end(), 7))).toBe(7)
      expect(() =>
        tracer.startActiveSpan("fail", {}, (span) => {
          span.end()
          throw thrown
        }),
      ).toThrow(thrown)
      root.end()
    })
    expect(names()).toEqual(["render", "fail", "GET"])
    expect(counted).toEqual([])
  })

  test("has one tracer for each scope", () => {
    const { provider } = tracerAt(1)
    expect(provider.getTracer("test")).toBe(provider.getTracer("test"))
    expect(provider.getTracer("other")).not.toBe(provider.getTracer("test"))
  })
})
