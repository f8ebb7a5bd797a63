import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, trace, TraceFlags } from "@opentelemetry/api"
import { BasicTracerProvider, RandomIdGenerator, SamplingDecision } from "@opentelemetry/sdk-trace-base"
import { describe, expect, onTestFinished, test } from "vitest"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { SamplingContexts } from "#otel/sdk/sentry/sampling-context.ts"
import { sampleRand, shouldSample } from "#otel/sdk/sentry/sampling.ts"
import { InternalRequestSampler } from "#otel/sdk/server/internal-requests.ts"
import { setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { sampleRate } from "#otel/sdk/config.ts"
import { TraceSampler, withDeferredSampling } from "#otel/sdk/server/sampler.ts"
import { finishedSpan } from "./finished-span.ts"

const { generateTraceId } = new RandomIdGenerator()
const PROJECT = { publicKey: "k", environment: "test", release: undefined, orgId: undefined }

function sampler(name: string | undefined, ratio?: string): TraceSampler {
  return new TraceSampler(readSdkConfig({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }).config)
}

function parent(traceId: string, isSampled: boolean, isRemote: boolean) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: "1".repeat(16), traceFlags, isRemote })
}

/** Ids with the lowest and the highest possible `sample_rand`. */
const KEPT_FIRST = `${"0".repeat(18)}ffffffffffffff`
const KEPT_LAST = `${"0".repeat(17)}100000000000000`

describe("the decision about a trace", () => {
  test("depends on the trace id only, and the sampled share is the rate", () => {
    const ids = Array.from({ length: 20_000 }, () => generateTraceId())
    for (const rate of [0.1, 0.5, 0.9]) {
      const share = ids.filter((id) => shouldSample(id, rate)).length / ids.length
      expect(Math.abs(share - rate)).toBeLessThan(0.02)
    }
  })

  test("agrees with the random number sent to Sentry, at every rate", () => {
    for (let count = 0; count < 5_000; count++) {
      const id = generateTraceId()
      const rate = Math.random()
      const rand = Number(sampleRand(id).toFixed(6))
      expect(rand).toBeGreaterThanOrEqual(0)
      expect(rand).toBeLessThan(1)
      expect(shouldSample(id, rate)).toBe(rand < rate)
    }
  })

  test("follows OpenTelemetry's threshold: an id above it is sampled, and one below is not", () => {
    expect(sampleRand(KEPT_FIRST)).toBe(0)
    expect(shouldSample(KEPT_FIRST, 0.000_001)).toBe(true)
    expect(shouldSample(KEPT_LAST, 0.999)).toBe(false)
  })

  test("samples everything at 1 and nothing at 0", () => {
    expect([KEPT_FIRST, KEPT_LAST].map((id) => shouldSample(id, 1))).toEqual([true, true])
    expect([KEPT_FIRST, KEPT_LAST].map((id) => shouldSample(id, 0))).toEqual([false, false])
  })
})

describe("a sampler by its environment variable", () => {
  const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision

  test.each([
    ["always_on", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["always_off", undefined, KEPT_FIRST, NOT_RECORD],
    ["traceidratio", "0.5", KEPT_FIRST, RECORD_AND_SAMPLED],
    ["traceidratio", "0.5", KEPT_LAST, NOT_RECORD],
    ["traceidratio", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["parentbased_always_on", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["parentbased_always_off", undefined, KEPT_FIRST, NOT_RECORD],
    ["parentbased_traceidratio", "0.5", KEPT_LAST, NOT_RECORD],
  ])("%s with %s decides by itself about a trace that starts here", (name, ratio, id, decision) => {
    expect(sampler(name, ratio).shouldSample(ROOT_CONTEXT, id).decision).toBe(decision)
  })

  test.each([
    ["parentbased_always_on", false, NOT_RECORD],
    ["parentbased_always_off", true, RECORD_AND_SAMPLED],
    ["parentbased_traceidratio", true, RECORD_AND_SAMPLED],
    ["always_on", false, RECORD_AND_SAMPLED],
    ["always_off", true, NOT_RECORD],
    ["traceidratio", true, NOT_RECORD],
    [undefined, false, RECORD_AND_SAMPLED],
  ])("%s, called by a service that has decided %s", (name, isSampled, decision) => {
    expect(sampler(name, "0").shouldSample(parent(KEPT_LAST, isSampled, true), KEPT_LAST).decision).toBe(decision)
  })

  test("decides itself if the caller defers", () => {
    const open = withDeferredSampling(parent(KEPT_LAST, false, true))
    expect(sampler("parentbased_always_on").shouldSample(open, KEPT_LAST).decision).toBe(RECORD_AND_SAMPLED)
  })

  test("never splits a trace within the process", () => {
    expect(sampler("always_on").shouldSample(parent(KEPT_FIRST, false, false), KEPT_FIRST).decision).toBe(NOT_RECORD)
    expect(sampler("always_off").shouldSample(parent(KEPT_LAST, true, false), KEPT_LAST).decision).toBe(
      RECORD_AND_SAMPLED,
    )
  })

  test("samples all by default", () => {
    expect(sampleRate(readSdkConfig({}).config)).toBe(1)
  })
})

describe("a trace that is not sampled", () => {
  const SAMPLING = { OTEL_TRACES_SAMPLER: "always_off", OTEL_TRACES_SAMPLER_ARG: 1 } as const

  /** The tracer of a server, and what its spans are to whom. */
  function traced(options: ConstructorParameters<typeof TraceSampler>[1] = {}) {
    const next = new TraceSampler(SAMPLING, options)
    const provider = new BasicTracerProvider({
      sampler: new InternalRequestSampler(next, (path) => path === "/tunnel"),
    })
    return (name: string, below?: Span, attributes: Attributes = {}) => {
      const context = below === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, below)
      return provider.getTracer("test").startSpan(name, { attributes }, context)
    }
  }

  test("is not recorded, and each of its spans is counted once", () => {
    const counted: string[] = []
    const start = traced({ sampledOut: (category) => counted.push(category) })
    const root = start("GET /items/[id]")
    const child = start("render", root)
    const grandchild = start("fetch", child)
    expect([root, child, grandchild].map((span) => span.isRecording())).toEqual([false, false, false])
    expect(new Set([root, child, grandchild].map((span) => span.spanContext().traceId)).size).toBe(1)
    expect(counted).toEqual(["transaction", "span", "span", "span"])
  })

  test("is recorded for an inspector in this process", () => {
    setLocalInspector({ spans: async () => undefined, drop: () => undefined, refusal: () => undefined })
    onTestFinished(() => setLocalInspector(undefined))
    const start = traced()
    const root = start("GET /items/[id]")
    const child = start("render", root)
    expect([root, child].map((span) => [span.isRecording(), span.spanContext().traceFlags])).toEqual([
      [true, 0],
      [true, 0],
    ])
  })

  test("has a span with a recorded error, and none below it", () => {
    const start = traced({ isNeeded: ({ type }) => type === "proxy" })
    const root = start("GET")
    const proxy = start("middleware GET", root, { type: "proxy" })
    const child = start("fetch", proxy)
    expect([root, proxy, child].map((span) => span.isRecording())).toEqual([false, true, false])
  })

  test("is not counted if the request is internal, nor are its descendants", () => {
    const counted: string[] = []
    const start = traced({ sampledOut: (category) => counted.push(category) })
    const root = start("POST", undefined, { "http.target": "/tunnel" })
    expect(start("executing api route", root).isRecording()).toBe(false)
    expect(counted).toEqual([])
  })
})

test("a span below a sampled context that the app has made itself is recorded, as of a message in a queue", () => {
  const sampler = new TraceSampler({ OTEL_TRACES_SAMPLER: "always_on", OTEL_TRACES_SAMPLER_ARG: 1 })
  const provider = new BasicTracerProvider({ sampler: new InternalRequestSampler(sampler, () => false) })
  const below = (traceFlags: number) => {
    const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags })
    return provider.getTracer("test").startSpan("handle", {}, parent).isRecording()
  }
  expect(below(1)).toBe(true)
})

test("a failing sampler leaves the span unrecorded, and does not affect the request", () => {
  const failing = {
    shouldSample: () => {
      throw new Error("failed")
    },
  }
  const result = new InternalRequestSampler(failing, () => false).shouldSample(
    ROOT_CONTEXT,
    KEPT_FIRST,
    "GET",
    SpanKind.SERVER,
    {},
    [],
  )
  expect(result).toEqual({ decision: SamplingDecision.NOT_RECORD })
})

describe("the propagated sampling context", () => {
  function contextOf(span: Parameters<typeof finishedSpan>[0], rate: number) {
    return new SamplingContexts({ ...PROJECT, sampleRate: rate }, () => undefined).of(finishedSpan(span))
  }

  test("has the rate and the random number of this process's decision", () => {
    const { sampled, sample_rate, sample_rand } = contextOf({}, 1)
    expect({ sampled, sample_rate }).toEqual({ sampled: "true", sample_rate: "1" })
    expect(sample_rand).toMatch(/^0\.\d{6}$/)
  })

  test("says that a trace is not sampled", () => {
    expect(contextOf({ sampled: false }, 0)).toMatchObject({ sampled: "false", sample_rate: "0" })
  })

  test("invents no rate for the decision of another service", () => {
    const span = finishedSpan({ parent: { spanId: "1".repeat(16), isRemote: true } })
    const contextIn = (ratesAllTraces: boolean) =>
      new SamplingContexts({ ...PROJECT, sampleRate: 1, ratesAllTraces }, () => undefined).of(span)
    expect(contextIn(false)).not.toHaveProperty("sample_rate")
    expect(contextIn(true)).toMatchObject({ sample_rate: "1" })
  })

  test("of a span that is not recorded is that of its trace", () => {
    const traceId = KEPT_LAST
    const unrecorded = trace.wrapSpanContext({ traceId, spanId: "1".repeat(16), traceFlags: 0 })
    const context = new SamplingContexts({ ...PROJECT, sampleRate: 0.5 }, () => undefined).of(unrecorded)
    expect(context).toMatchObject({ trace_id: traceId, public_key: "k", sampled: "false", sample_rate: "0.5" })
  })

  test("of another service is propagated unchanged", () => {
    const arrived = { trace_id: "a", sampled: "true", sample_rate: "0.25" }
    expect(new SamplingContexts(PROJECT, () => arrived).of(finishedSpan())).toBe(arrived)
  })

  test("has the name of the root, even if a child propagates it first", () => {
    const root = finishedSpan({ name: "GET /items/[id]", attributes: { "http.route": "/items/[id]" } })
    const contexts = new SamplingContexts(
      PROJECT,
      () => undefined,
      () => ({ root, route: undefined }),
    )
    const child = finishedSpan({ name: "child", spanId: "2".repeat(16), parent: { spanId: root.spanContext().spanId } })
    expect(contexts.of(child)["transaction"]).toBe("GET /items/[id]")
    expect(contexts.of(root)).toBe(contexts.of(child))
  })
})
