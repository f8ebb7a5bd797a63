import { propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { formatBaggage, parseBaggage, type SamplingContext } from "#otel/sdk/sentry/sampling-context.ts"
import { sampleRand } from "#otel/sdk/sentry/sampling.ts"
import { isForeign, TraceContinuation } from "#otel/sdk/server/continue-trace.ts"
import { ownTraces, ServerPropagator } from "#otel/sdk/server/propagator.ts"

const TRACE_ID = `${"a".repeat(18)}ffffffffffffff`
const PARENT = "1".repeat(16)
const PROJECT = { publicKey: "own", environment: "production", release: "shop@1", orgId: "7", sampleRate: 0.5 }
const ROUTES = { routes: ["/items/[id]"], handlers: ["/api/cart"] }

describe("a caller's sampling context", () => {
  test.each<[SamplingContext, { orgId?: string; publicKey: string }, boolean]>([
    [{ public_key: "own" }, { publicKey: "own" }, false],
    [{ public_key: "other" }, { publicKey: "own" }, true],
    [{ public_key: "other", org_id: "7" }, { publicKey: "own", orgId: "7" }, false],
    [{ public_key: "own", org_id: "8" }, { publicKey: "own", orgId: "7" }, true],
    [{ public_key: "own", org_id: "8" }, { publicKey: "own" }, true],
    [{ public_key: "own" }, { publicKey: "own", orgId: "7" }, false],
    [{ public_key: "other" }, { publicKey: "own", orgId: "7" }, true],
    [{ environment: "elsewhere" }, { publicKey: "own", orgId: "7" }, false],
  ])("%o at a server of %o is foreign: %s", (caller, { orgId, publicKey }, expected) => {
    expect(isForeign(caller, { orgId, publicKey })).toBe(expected)
  })
})

/** A server's propagator, and the context that it takes from a request's headers. */
function received(headers: Record<string, string>, trustsCallers = false) {
  const project = { ...PROJECT, ratesAllTraces: !trustsCallers }
  const continuation = new TraceContinuation(project, ROUTES)
  const contexts = continuation.contexts(() => undefined)
  const propagator = new ServerPropagator(() => ({ service: "shop", environment: "test" }), { contexts, continuation })
  const getter = {
    get: (carrier: Record<string, string>, key: string) => carrier[key],
    keys: (carrier: Record<string, string>) => Object.keys(carrier),
  }
  const context = propagator.extract(ROOT_CONTEXT, headers, getter)
  const span = trace.getSpan(context)
  const sent: Record<string, string> = {}
  propagator.inject(context, sent, { set: (carrier: Record<string, string>, key, value) => (carrier[key] = value) })
  return { span, samplingContext: span && contexts.of(span), sent }
}

const traceparent = `00-${TRACE_ID}-${PARENT}-01`
const sentryTrace = `${TRACE_ID}-${PARENT}-1`
const OWN: SamplingContext = { trace_id: TRACE_ID, public_key: "own", org_id: "7" }

describe("a request with a trace", () => {
  test("of another organization starts a new trace, whatever its headers", () => {
    const baggage = formatBaggage({ ...OWN, org_id: "8" })
    expect(received({ traceparent, baggage }).span).toBeUndefined()
    expect(received({ "sentry-trace": sentryTrace, baggage }).span).toBeUndefined()
    expect(received({ traceparent, "sentry-trace": sentryTrace, baggage }).span).toBeUndefined()
  })

  test("continues the trace of `traceparent` if baggage is about another one", () => {
    const baggage = formatBaggage({ trace_id: "b".repeat(32), public_key: "other" })
    expect(received({ traceparent, baggage }).span?.spanContext().traceId).toBe(TRACE_ID)
  })

  test("has nothing in its context that the caller invented", () => {
    const forged = { environment: "forged", release: "forged@1", sample_rate: "0.0001", sample_rand: "0.99" }
    const baggage = formatBaggage({ ...OWN, ...forged, transaction: "forged", user_id: "7", sampled: "false" })
    const { samplingContext, sent } = received({ traceparent, baggage })
    const expected = {
      trace_id: TRACE_ID,
      public_key: "own",
      org_id: "7",
      environment: "production",
      release: "shop@1",
      sampled: "true",
      sample_rate: "0.5",
      sample_rand: sampleRand(TRACE_ID).toFixed(6),
    }
    expect(samplingContext).toEqual(expected)
    expect(parseBaggage(sent["baggage"])).toEqual(expected)
    expect(sent).not.toHaveProperty("tracestate")
  })

  test.each(["/items/[id]", "GET /items/[id]", "RSC GET /items/[id]", "POST /api/cart"])(
    "has the caller's transaction if that is a route of the app: %s",
    (transaction) => {
      const { samplingContext } = received({ traceparent, baggage: formatBaggage({ ...OWN, transaction }) })
      expect(samplingContext).toMatchObject({ transaction })
    },
  )

  test("has the rate of its caller only if callers are trusted, and only a valid rate", () => {
    const baggage = formatBaggage({ ...OWN, sample_rate: "0.25", sample_rand: "0.1", environment: "forged" })
    expect(received({ traceparent, baggage }).samplingContext).toMatchObject({ sample_rate: "0.5" })
    expect(received({ traceparent, baggage }, true).samplingContext).toMatchObject({
      environment: "production",
      sample_rate: "0.25",
      sample_rand: "0.1",
    })
    for (const sample_rate of ["2", "-1", "NaN", "1e9", "0x1"]) {
      const wrong = formatBaggage({ ...OWN, sample_rate, sample_rand: "0.1" })
      expect(received({ traceparent, baggage: wrong }, true).samplingContext).not.toHaveProperty("sample_rate")
    }
  })

  test("keeps the state of other vendors", () => {
    const { sent } = received({ traceparent, tracestate: "vendor=1", baggage: formatBaggage(OWN) })
    expect(sent["tracestate"]).toBe("vendor=1")
  })

  test("without any of Sentry's headers is continued as OpenTelemetry sends it", () => {
    const { span, samplingContext } = received({ traceparent })
    expect(span?.spanContext()).toMatchObject({ traceId: TRACE_ID, spanId: PARENT, isRemote: true })
    expect(samplingContext).toMatchObject({ public_key: "own", sampled: "true" })
  })
})

test("baggage is passed on, without members of Sentry that a caller made up", () => {
  const { sent } = received({ traceparent, baggage: `tenant=blue,${formatBaggage(OWN)},sentry-environment=forged` })
  const members = sent["baggage"]?.split(",") ?? []
  expect(members).toContain("tenant=blue")
  expect(members.filter((member) => member.startsWith("sentry-trace_id="))).toHaveLength(1)
  expect(sent["baggage"]).not.toContain("forged")
})

test("a propagator whose carrier fails does not affect the request", () => {
  const propagator = new ServerPropagator(() => ({ service: "shop", environment: "test" }))
  const fail = () => {
    throw new Error("failed")
  }
  const span = trace.setSpan(ROOT_CONTEXT, trace.wrapSpanContext({ traceId: TRACE_ID, spanId: PARENT, traceFlags: 1 }))
  expect(() => propagator.inject(span, {}, { set: fail })).not.toThrow()
  const extracted = propagator.extract(ROOT_CONTEXT, {}, { get: fail, keys: () => [] })
  expect(trace.getSpan(extracted)).toBeUndefined()
  expect(propagation.getBaggage(extracted)).toBeUndefined()
})

describe("OTEL_PROPAGATORS", () => {
  const CALLER = {
    traceparent,
    "sentry-trace": sentryTrace,
    baggage: `tenant=7,${formatBaggage(OWN)}`,
  }
  const getter = {
    get: (carrier: Record<string, string>, key: string) => carrier[key],
    keys: (carrier: Record<string, string>) => Object.keys(carrier),
  }

  /** What a server with this variable passes on of a caller's headers, and of its own span. */
  function passedOn(names: string, hasSentry: boolean, headers: Record<string, string> = CALLER) {
    const continuation = new TraceContinuation({ ...PROJECT, ratesAllTraces: true }, ROUTES)
    const sentry = { contexts: continuation.contexts(() => undefined), continuation }
    const { config } = readSdkConfig({ OTEL_PROPAGATORS: names })
    const propagator = new ServerPropagator(
      () => ({ service: "shop", environment: "test" }),
      hasSentry ? sentry : undefined,
      ownTraces(config.OTEL_PROPAGATORS),
    )
    const context = propagator.extract(ROOT_CONTEXT, headers, getter)
    const ofSpan = trace.setSpanContext(context, { traceId: TRACE_ID, spanId: "2".repeat(16), traceFlags: 1 })
    const sent: Record<string, string> = {}
    propagator.inject(ofSpan, sent, { set: (carrier: Record<string, string>, key, value) => (carrier[key] = value) })
    const members = sent["baggage"]?.split(",").map((member) => member.split("=")[0]) ?? []
    return {
      continues: trace.getSpanContext(context)?.traceId === TRACE_ID,
      headers: Object.keys(sent).toSorted(),
      hasOthersBaggage: members.includes("tenant"),
      hasSentrysBaggage: members.includes("sentry-trace_id"),
    }
  }

  test.each([
    ["", ["baggage", "traceparent"], true, true],
    ["tracecontext", ["traceparent"], true, false],
    ["baggage", ["baggage"], false, true],
    ["none", [], false, false],
  ])("%j without Sentry: the server sends %j", (names, headers, continues, hasOthersBaggage) => {
    const passed = passedOn(names, false)
    expect([passed.headers, passed.continues, passed.hasOthersBaggage]).toEqual([headers, continues, hasOthersBaggage])
  })

  test.each([
    ["", ["baggage", "sentry-trace", "traceparent"], true],
    ["tracecontext", ["baggage", "sentry-trace", "traceparent"], false],
    ["baggage", ["baggage", "sentry-trace"], true],
    ["none", ["baggage", "sentry-trace"], false],
  ])("%j with Sentry: the server sends %j, and continues Sentry's traces", (names, headers, hasOthersBaggage) => {
    expect(passedOn(names, true)).toEqual({ headers, continues: true, hasOthersBaggage, hasSentrysBaggage: true })
  })

  test("none with Sentry does not continue a trace that only `traceparent` names", () => {
    expect(passedOn("none", true, { traceparent }).continues).toBe(false)
  })
})
