import { context, propagation, ROOT_CONTEXT, type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { TraceSampler } from "#otel/sdk/server/sampler.ts"
import { isPrerendering, ServerTracerProvider } from "#otel/sdk/server/tracer-provider.ts"

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
    finished: () => exporter.getFinishedSpans(),
    names: () => exporter.getFinishedSpans().map(({ name }) => name),
  }
}

const idOf = (span: Span) => span.spanContext().spanId
const traced = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }

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

describe("what Next asks before each of its spans", () => {
  /** As in Next's `isOpenTelemetryEnabled`. */
  const isEnabled = () => {
    if (trace.getSpan(context.active())?.isRecording() === true) return true
    const provider = trace.getTracerProvider() as unknown as { getDelegate(): object }
    return provider.getDelegate().constructor.name !== "NoopTracerProvider"
  }
  const ofNext = { attributes: { "next.span_type": "AppRender.getBodyResult" } }
  const below = (span: Span, work: () => unknown) => context.with(trace.setSpan(context.active(), span), work)
  /** Registers the provider, with which Next's answer depends on the active span. */
  function registered(rate: 0 | 1) {
    const { provider, tracer } = tracerAt(rate)
    trace.disable()
    trace.setGlobalTracerProvider(provider)
    return tracer
  }

  test("is answered with no below a render that is not sampled, and with yes beside it", () => {
    const tracer = registered(0)
    expect(isEnabled()).toBe(true)
    tracer.startActiveSpan("GET", ofNext, () => {
      expect(isEnabled()).toBe(true)
      tracer.startActiveSpan("resolve page components", ofNext, () => expect(isEnabled()).toBe(true))
      below(tracer.startSpan("render route (app) /", ofNext), () => expect(isEnabled()).toBe(false))
      below(tracer.startSpan("of the app"), () => expect(isEnabled()).toBe(true))
      expect(isEnabled()).toBe(true)
    })
    below(tracer.startSpan("GET", ofNext), () => expect(isEnabled()).toBe(true))
    const remote = trace.setSpanContext(ROOT_CONTEXT, { ...traced, traceFlags: 0, isRemote: true })
    below(tracer.startSpan("GET", ofNext, remote), () => expect(isEnabled()).toBe(true))
  })

  test("is answered with yes everywhere in a trace that is sampled", () => {
    const tracer = registered(1)
    tracer.startActiveSpan("GET", ofNext, (root) => {
      below(tracer.startSpan("render route (app) /", ofNext), () => expect(isEnabled()).toBe(true))
      root.end()
    })
  })

  test("a skipped prerender is known to what runs in it", () => {
    const tracer = registered(0)
    const isKnown = () => isPrerendering(context.active(), undefined)
    tracer.startActiveSpan("GET", (root) => {
      const inside = tracer.startActiveSpan("prerender route (app) /isr/[id]", ofNext, (span) => [span, isKnown()])
      expect([inside, isKnown()]).toEqual([[root, true], false])
      tracer.startActiveSpan("render route (app) /isr/[id]", ofNext, () => expect(isKnown()).toBe(false))
    })
  })
})

describe("Next's spans of loading code", () => {
  const loading = { attributes: { "next.span_type": "LoadComponents.loadRouteModule" } }

  /** The finished spans of a root with one such span, below which there is another span. */
  function spansBelow(work: (span: Span) => void, attributes = loading.attributes) {
    const { tracer, finished } = tracerAt(1)
    tracer.startActiveSpan("GET", (root) => {
      tracer.startActiveSpan("load route module", { attributes }, (span) => {
        tracer.startActiveSpan("fetch", (inner) => inner.end())
        work(span)
        span.end()
      })
      root.end()
    })
    return finished().map(({ name, parentSpanContext }) => [
      name,
      finished().find((each) => each.spanContext().spanId === parentSpanContext?.spanId)?.name,
    ])
  }

  test("are folded: what is below them belongs to their parent", () => {
    expect(spansBelow(() => undefined)).toEqual([
      ["fetch", "GET"],
      ["GET", undefined],
    ])
  })

  test("are recorded if they fail", () => {
    expect(spansBelow((span) => span.setStatus({ code: SpanStatusCode.ERROR }))).toContainEqual([
      "load route module",
      "GET",
    ])
  })

  test("are folded if Next looks for a page that the app does not have", () => {
    const absent = Object.assign(new Error("Cannot find module for page: /500"), { name: "PageNotFoundError" })
    const look = (span: Span) => {
      span.recordException(absent)
      span.setStatus({ code: SpanStatusCode.ERROR, message: absent.message })
    }
    expect(spansBelow(look)).toEqual([
      ["fetch", "GET"],
      ["GET", undefined],
    ])
  })

  test("are recorded if they take long", () => {
    const slow = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
    expect(spansBelow(slow)).toContainEqual(["load route module", "GET"])
  })

  test("are recorded with Next's own switch for all of its spans", () => {
    vi.stubEnv("NEXT_OTEL_VERBOSE", "1")
    expect(spansBelow(() => undefined)).toEqual([
      ["fetch", "load route module"],
      ["load route module", "GET"],
      ["GET", undefined],
    ])
    vi.unstubAllEnvs()
  })

  test("do not stand for others", () => {
    expect(spansBelow(() => undefined, { "next.span_type": "AppRender.getBodyResult" })).toContainEqual([
      "load route module",
      "GET",
    ])
  })
})
