import { ROOT_CONTEXT, trace, TraceFlags } from "@opentelemetry/api"
import { RandomIdGenerator, SamplingDecision } from "@opentelemetry/sdk-trace-base"
import { describe, expect, test } from "vitest"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { SamplingContexts } from "#otel/sdk/sentry/sampling-context.ts"
import { sampleRand, shouldSample } from "#otel/sdk/sentry/sampling.ts"
import { sampleRate, TraceSampler, withDeferredSampling } from "#otel/sdk/server/sampler.ts"
import { finishedSpan } from "./finished-span.ts"

const { generateTraceId } = new RandomIdGenerator()
const PROJECT = { publicKey: "k", environment: "test", release: undefined, orgId: undefined }

function sampler(name: string, ratio?: string): TraceSampler {
  return new TraceSampler(readSdkConfig({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }).config)
}

function parent(traceId: string, isSampled: boolean, isRemote: boolean) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: "1".repeat(16), traceFlags, isRemote })
}

/** Ids whose `sample_rand` is the lowest and the highest there is. */
const KEPT_FIRST = `${"0".repeat(18)}ffffffffffffff`
const KEPT_LAST = `${"0".repeat(17)}100000000000000`

describe("the decision about a trace", () => {
  test("is made by the trace id alone, with a share that is the rate", () => {
    const ids = Array.from({ length: 20_000 }, () => generateTraceId())
    for (const rate of [0.1, 0.5, 0.9]) {
      const share = ids.filter((id) => shouldSample(id, rate)).length / ids.length
      expect(Math.abs(share - rate)).toBeLessThan(0.02)
    }
  })

  test("agrees with the number sent to Sentry, at every rate", () => {
    for (let count = 0; count < 5_000; count++) {
      const id = generateTraceId()
      const rate = Math.random()
      const told = Number(sampleRand(id).toFixed(6))
      expect(told).toBeGreaterThanOrEqual(0)
      expect(told).toBeLessThan(1)
      expect(shouldSample(id, rate)).toBe(told < rate)
    }
  })

  test("follows OpenTelemetry's threshold: an id above it is sampled, one below is not", () => {
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
  const { RECORD, RECORD_AND_SAMPLED } = SamplingDecision

  test.each([
    ["always_on", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["always_off", undefined, KEPT_FIRST, RECORD],
    ["traceidratio", "0.5", KEPT_FIRST, RECORD_AND_SAMPLED],
    ["traceidratio", "0.5", KEPT_LAST, RECORD],
    ["traceidratio", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["parentbased_always_on", undefined, KEPT_LAST, RECORD_AND_SAMPLED],
    ["parentbased_always_off", undefined, KEPT_FIRST, RECORD],
    ["parentbased_traceidratio", "0.5", KEPT_LAST, RECORD],
  ])("%s with %s decides by itself about a trace that begins here", (name, ratio, id, decision) => {
    expect(sampler(name, ratio).shouldSample(ROOT_CONTEXT, id).decision).toBe(decision)
  })

  test.each([
    ["parentbased_always_on", false, RECORD],
    ["parentbased_always_off", true, RECORD_AND_SAMPLED],
    ["parentbased_traceidratio", true, RECORD_AND_SAMPLED],
    ["always_on", false, RECORD_AND_SAMPLED],
    ["always_off", true, RECORD],
  ])("%s, asked by a caller that has decided %s", (name, isSampled, decision) => {
    expect(sampler(name, "0").shouldSample(parent(KEPT_LAST, isSampled, true), KEPT_LAST).decision).toBe(decision)
  })

  test("decides itself if the caller defers", () => {
    const open = withDeferredSampling(parent(KEPT_LAST, false, true))
    expect(sampler("parentbased_always_on").shouldSample(open, KEPT_LAST).decision).toBe(RECORD_AND_SAMPLED)
  })

  test("never splits a trace within the process", () => {
    expect(sampler("always_on").shouldSample(parent(KEPT_FIRST, false, false), KEPT_FIRST).decision).toBe(RECORD)
    expect(sampler("always_off").shouldSample(parent(KEPT_LAST, true, false), KEPT_LAST).decision).toBe(
      RECORD_AND_SAMPLED,
    )
  })

  test("samples all by default", () => {
    expect(sampleRate(readSdkConfig({}).config)).toBe(1)
  })
})

describe("the sampling context that travels", () => {
  function contextOf(span: Parameters<typeof finishedSpan>[0], rate: number) {
    return new SamplingContexts({ ...PROJECT, sampleRate: rate }, () => undefined).of(finishedSpan(span))
  }

  test("has the rate and the random number of this process's decision", () => {
    const { sampled, sample_rate, sample_rand } = contextOf({}, 1)
    expect({ sampled, sample_rate }).toEqual({ sampled: "true", sample_rate: "1" })
    expect(sample_rand).toMatch(/^0\.\d{6}$/)
  })

  test("says that a trace is not sampled where it is not", () => {
    expect(contextOf({ sampled: false }, 0)).toMatchObject({ sampled: "false", sample_rate: "0" })
  })

  test("makes up no rate for a decision of somebody else's", () => {
    const span = { parent: { spanId: "1".repeat(16), isRemote: true } }
    expect(contextOf(span, 0.5)).not.toHaveProperty("sample_rate")
  })

  test("propagates one that arrived as it is", () => {
    const arrived = { trace_id: "a", sampled: "true", sample_rate: "0.25" }
    expect(new SamplingContexts(PROJECT, () => arrived).of(finishedSpan())).toBe(arrived)
  })

  test("is named by the root even where a child asks first", () => {
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
