import { expect, it } from "vitest"
import { traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { mergeDeltaJson, mergeDeltas, summariseSpans } from "#otel/inspector/queries/trace/trace-delta.ts"
import { makeSpan, TRACE_ID } from "./make-span.ts"

const root = makeSpan(1, { name: "root", from: 50n })
const early = makeSpan(2, { name: "early child", parent: 1, from: 10n })
const late = makeSpan(3, { name: "late child", parent: 1, from: 90n })

it("spans without their root are named after the earliest, provisionally", () => {
  expect(summariseSpans(TRACE_ID, [late, early])).toMatchObject({ name: "early child", isProvisional: true })
  expect(summariseSpans(TRACE_ID, [late, early, root])).toMatchObject({ name: "root", isProvisional: false })
})

it("batches in any order merge to the root's name", () => {
  const [a, b, c] = [early, root, late].map((span) => summariseSpans(TRACE_ID, [span]))
  if (!a || !b || !c) throw new Error("three spans make three summaries")
  const orders = [
    [a, b, c],
    [c, a, b],
    [b, a, c],
    [c, b, a],
  ] as const
  for (const [first, second, third] of orders)
    expect(mergeDeltas(mergeDeltas(first, second), third)).toMatchObject({
      name: "root",
      isProvisional: false,
      startTime: early.startTime,
      duration: late.endTime - early.startTime,
    })
})

it("the run of a proxy names a trace only if nothing else does, in whichever order its spans arrive", () => {
  const run = makeSpan(5, { name: "middleware GET", from: 10n })
  const request = makeSpan(6, { name: "GET /items/[id]", parent: 5, from: 60n })
  const step = makeSpan(7, { name: "resolve page components", parent: 6, from: 61n })
  expect(summariseSpans(TRACE_ID, [run])).toMatchObject({ name: "middleware GET", isProvisional: false })
  const named = { name: "GET /items/[id]", isProvisional: false }
  expect(summariseSpans(TRACE_ID, [run, request, step])).toMatchObject(named)
  const [a, b] = [summariseSpans(TRACE_ID, [run]), summariseSpans(TRACE_ID, [request, step])]
  for (const merged of [mergeDeltas(a, b), mergeDeltas(b, a)]) expect(merged).toMatchObject(named)
})

it("the request behind a proxy names a trace, however many requests its spans arrive in, and in whichever order", () => {
  const spans = [
    makeSpan(5, { name: "middleware GET", parent: 9, from: 10n }),
    makeSpan(6, { name: "GET /items/[id]", parent: 5, from: 60n }),
    makeSpan(7, { name: "resolve page components", parent: 6, from: 61n }),
  ]
  for (const parent of [undefined, spans[0]!.parentSpanId]) {
    const [run, request, step] = spans.map(({ parentSpanId, ...span }, index) =>
      traceSummaryToJson(summariseSpans(TRACE_ID, [{ ...span, parentSpanId: index === 0 ? parent : parentSpanId }])),
    )
    for (const [a, b, c] of permutationsOf(run!, request!, step!))
      for (const merged of [mergeDeltaJson(mergeDeltaJson(a, b), c), mergeDeltaJson(a, mergeDeltaJson(b, c))])
        expect(merged).toMatchObject({ name: "GET /items/[id]", provisional: parent !== undefined, spanCount: 3 })
  }
})

function permutationsOf<Value>(a: Value, b: Value, c: Value): (readonly [Value, Value, Value])[] {
  return [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ]
}

it("a span that both protocols reported counts once", () => {
  const failed = { ...early, status: { code: "error", message: "" } } as const
  const summary = summariseSpans(TRACE_ID, [failed, { ...failed, source: "sentry" }])
  expect(summary).toMatchObject({ spanCount: 1, errorCount: 1, sources: ["otlp", "sentry"] })
})

it("a web vital that settles after the trace is a span of it, but none of its time, whatever it arrives with", () => {
  const vital = makeSpan(4, { name: "browser.web_vital.lcp", parent: 1, from: 50n, to: 9_000_000n })
  const whole = { spanCount: 3, startTime: early.startTime, duration: root.endTime - early.startTime }
  expect(summariseSpans(TRACE_ID, [early, root, vital])).toMatchObject(whole)
  const parts = [[early, root], [vital]].map((spans) => summariseSpans(TRACE_ID, spans))
  expect(mergeDeltas(parts[0]!, parts[1]!)).toMatchObject(whole)
  expect(mergeDeltas(parts[1]!, parts[0]!)).toMatchObject(whole)
})
