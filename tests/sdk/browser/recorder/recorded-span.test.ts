import {
  type AttributeValue,
  type Context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  type TimeInput,
  trace,
  type TracerProvider,
} from "@opentelemetry/api"
import { suppressTracing } from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-web"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Recorder, type RecorderOptions } from "#otel/sdk/browser/recorder/recorder.ts"
import { createSuccessor } from "#otel/sdk/browser/recorder/successor.ts"
import { Random } from "#tests/protocol/otlp/random.ts"

const SEEDS = Array.from({ length: 80 }, (_, seed) => seed)
const REMOTE = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1, isRemote: true }

/** Both clocks stand still unless a test moves them, so that two tracers read the same times. */
const clock = { now: 0, date: 0 }

beforeEach(() => {
  Object.assign(clock, { now: 1_234.567_89, date: 1_795_197_507_934 })
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  vi.spyOn(Date, "now").mockImplementation(() => clock.date)
})
afterEach(() => vi.restoreAllMocks())

/** The options of a recorder, and the spans that have started and ended. */
function recording() {
  const started: Span[] = []
  const ended: ReadableSpan[] = []
  const listener = {
    onStart: (span: Span) => void started.push(span),
    onEnd: (span: ReadableSpan) => void ended.push(span),
  }
  const options = {
    resource: { attributes: { "service.name": "shop" } },
    listeners: [listener],
    isSampled: (parent: SpanContext | undefined, traceId: string) =>
      parent === undefined ? traceId > "8" : (parent.traceFlags & 1) === 1,
  } as unknown as RecorderOptions
  return { options, started, ended }
}

type Call = (span: Span) => void

/** A program of calls, the same for both tracers: what a span starts with, and what is done to it. */
function program(random: Random) {
  const time = (): TimeInput | undefined =>
    random.pick<() => TimeInput | undefined>([
      () => undefined,
      () => clock.date + random.next() * 1e4,
      () => random.next() * clock.now,
      () => new Date(clock.date + random.below(1_000)),
      () => [1_795_197_508, random.below(1e9)],
      () => [1, 2, 3] as unknown as TimeInput,
      () => Number.NaN,
    ])()
  const primitive = () => random.pick(["", "text", "ünï", 0, -1.5, Number.NaN, Infinity, true, false])
  const value = () =>
    random.pick<() => unknown>([
      primitive,
      primitive,
      () => random.list(3, () => random.pick(["a", "b", null, undefined])),
      () => random.list(3, () => random.pick([1, 2.5, null])),
      () => random.list(3, primitive),
      () => [null, {}],
      () => ({ nested: true }),
      () => null,
      () => undefined,
      () => () => 1,
      () => Symbol("a"),
      () => 10n,
    ])() as AttributeValue
  const attributes = (most: number) =>
    Object.fromEntries(random.list(most, () => [random.pick(["", "a", "b", `k${random.below(200)}`]), value()]))
  const link = () => ({
    context: REMOTE,
    ...random.pick([{}, { attributes: attributes(4) }, { attributes: attributes(400) }]),
  })
  const exception = () =>
    random.pick<() => unknown>([
      () => "thrown text",
      () => "",
      () => Object.assign(new TypeError("boom"), { stack: "at x" }),
      () => Object.assign(new Error("denied"), { stack: "at y", code: random.pick(["EACCES", 42]) }),
      () => ({ name: "Named" }),
      () => ({ message: "only a message" }),
      () => ({}),
      () => null,
      () => undefined,
      () => 7,
    ])() as Error
  const call = (): Call =>
    random.pick<() => Call>([
      () =>
        (
          (key, given) => (span) =>
            span.setAttribute(key, given)
        )(random.pick(["", "a", "b", "c"]), value()),
      () =>
        (
          (given) => (span) =>
            span.setAttributes(given)
        )(attributes(random.pick([3, 200]))),
      () =>
        (
          (...given) =>
          (span) =>
            span.addEvent("event", ...given)
        )(attributes(random.pick([3, 300])), time()),
      () =>
        (
          (at, also) => (span) =>
            span.addEvent("at a time", at, also)
        )(time(), time()),
      () =>
        (
          (given) => (span) =>
            span.addLink(given)
        )(link()),
      () =>
        (
          (given) => (span) =>
            span.addLinks(given)
        )(random.list(3, link)),
      () =>
        (
          (code, message) => (span) =>
            span.setStatus({ code, message: message as string })
        )(
          random.pick([SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR]),
          random.pick([undefined, null, "went wrong", 5, ""]),
        ),
      () =>
        (
          (name) => (span) =>
            span.updateName(name)
        )(`name ${random.below(9)}`),
      () =>
        (
          (thrown, at) => (span) =>
            span.recordException(thrown, at)
        )(exception(), time()),
      () =>
        ((ms) => () => {
          clock.now += ms
          clock.date += ms + random.pick([0, 0, -40])
        })(random.next() * 500),
      () => {
        const many = 100 + random.below(60)
        return (span) => {
          for (let index = 0; index < many; index++) span.addEvent(`event ${index}`).addLink({ context: REMOTE })
        }
      },
      () =>
        (
          (at) => (span) =>
            span.end(at)
        )(random.chance(0.2) ? time() : undefined),
    ])()
  const options: SpanOptions = {
    ...random.pick([{}, { kind: SpanKind.CLIENT }]),
    ...random.pick([{}, { startTime: time() as TimeInput }]),
    ...random.pick([{}, { attributes: attributes(random.pick([4, 200])) }]),
    ...random.pick([{}, { links: random.list(3, link) }]),
    ...random.pick([{}, {}, { root: true }]),
  }
  const parent: Context = random.pick([
    ROOT_CONTEXT,
    trace.setSpanContext(ROOT_CONTEXT, REMOTE),
    trace.setSpanContext(ROOT_CONTEXT, { ...REMOTE, traceFlags: 0, isRemote: false }),
    trace.setSpanContext(ROOT_CONTEXT, INVALID_SPAN_CONTEXT),
  ])
  const end = time()
  return { options, parent, calls: random.list(20, call), end: (span: Span) => span.end(end) }
}

const SAID = [
  "name",
  "kind",
  "startTime",
  "endTime",
  "status",
  "attributes",
  "links",
  "events",
  "duration",
  "ended",
  "parentSpanContext",
  "droppedAttributesCount",
  "droppedEventsCount",
  "droppedLinksCount",
  "instrumentationScope",
] as const

/** All that a span says. Ids are new in each. */
function said(span: Span & Partial<Record<string, unknown>>) {
  const { traceFlags, isRemote, traceState } = span.spanContext()
  const fields = Object.fromEntries(SAID.map((field) => [field, span[field]]))
  const { attributes: resource } = span["resource"] as ReadableSpan["resource"]
  return structuredClone({ ...fields, traceFlags, isRemote, traceState, resource, isRecording: span.isRecording() })
}

/** Runs a program, and returns what its span says after each call. */
function run(provider: TracerProvider, seed: number): unknown[] {
  Object.assign(clock, { now: 1_234.567_89 + seed, date: 1_795_197_507_934 + 7 * seed })
  const { options, parent, calls, end } = program(new Random(seed))
  const tracer = provider.getTracer("app", seed % 2 === 0 ? "1.0" : undefined, { schemaUrl: "https://schema" })
  // Flags follow the random trace id of a new root.
  const span = tracer.startSpan("name", { ...options, root: false }, options.root ? trace.deleteSpan(parent) : parent)
  const steps = [...calls, end, end].map((call, index) => {
    call(span)
    return { step: `call ${index}`, ...said(span as never) }
  })
  const hasParent = span.spanContext().traceId === REMOTE.traceId
  return steps.map((step) => (hasParent ? step : { ...step, traceFlags: "of its id" }))
}

test("a recorded span says after each call what a span of OpenTelemetry's SDK says", () => {
  for (const seed of SEEDS) {
    const ours = recording()
    const theirs = recording()
    const recorded = run(new Recorder(ours.options), seed)
    expect(recorded, `seed ${seed}`).toEqual(run(createSuccessor(theirs.options), seed))
    expect([ours.started.length, ours.ended.length]).toEqual([theirs.started.length, theirs.ended.length])
  }
})

test("a recorder decides sampling, and makes ids, as the SDK does", () => {
  const { options } = recording()
  for (const provider of [new Recorder(options), createSuccessor(options)]) {
    const tracer = provider.getTracer("app")
    for (let count = 0; count < 50; count++) {
      const { traceId, spanId, traceFlags } = tracer.startSpan("root", { root: true }).spanContext()
      expect([traceId, spanId]).toEqual([
        expect.stringMatching(/^[\da-f]{32}$/),
        expect.stringMatching(/^[\da-f]{16}$/),
      ])
      expect(traceFlags).toBe(traceId > "8" ? 1 : 0)
    }
    const remote = trace.setSpanContext(ROOT_CONTEXT, REMOTE)
    const suppressed = tracer.startSpan("suppressed", {}, suppressTracing(remote))
    expect([suppressed.spanContext(), suppressed.isRecording()]).toEqual([INVALID_SPAN_CONTEXT, false])
    const child = tracer.startSpan("child", {}, remote)
    expect(child.spanContext()).toMatchObject({ traceId: REMOTE.traceId, traceFlags: 1 })
  }
})

test("startActiveSpan returns what its work returns, whatever its arguments", () => {
  for (const take of [false, true]) {
    const { options, ended } = recording()
    const recorder = new Recorder(options)
    if (take) recorder.successor = createSuccessor(options)
    const tracer = recorder.getTracer("app")
    const work = (span: Span) => (span.end(), span.spanContext().traceId)
    const remote = trace.setSpanContext(ROOT_CONTEXT, REMOTE)
    expect(tracer.startActiveSpan("plain", work)).toMatch(/^[\da-f]{32}$/)
    expect(tracer.startActiveSpan("with options", { attributes: { a: 1 } }, work)).toMatch(/^[\da-f]{32}$/)
    expect(tracer.startActiveSpan("with a parent", {}, remote, work)).toBe(REMOTE.traceId)
    expect(ended.map(({ name }) => name)).toEqual(["plain", "with options", "with a parent"])
  }
})

test("once the SDK has taken over, new spans are its own, children of recorded ones, which end as they began", () => {
  const { options, ended } = recording()
  const recorder = new Recorder(options)
  const tracer = recorder.getTracer("app")
  const before = tracer.startSpan("before", { startTime: clock.date }, ROOT_CONTEXT) as Span & ReadableSpan
  const said = structuredClone([before.spanContext(), before.startTime])
  recorder.successor = createSuccessor(options)
  const around = trace.setSpan(ROOT_CONTEXT, before)
  const after = tracer.startSpan("after", {}, around) as Span & ReadableSpan
  expect(after.constructor.name).toBe("SpanImpl")
  expect(after.parentSpanContext).toEqual(before.spanContext())
  after.end()
  before.setAttribute("late", true).end()
  expect([before.spanContext(), before.startTime]).toEqual(said)
  expect(ended).toEqual([after, before])
  expect(before.attributes).toEqual({ late: true })
})
