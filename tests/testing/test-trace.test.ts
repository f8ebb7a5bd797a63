import { describe, expect, test, vi } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { SPAN_LIMIT, spansOf, type TestAttempt, type TestStep } from "#otel/testing/test-trace.ts"
import { attemptIds } from "#otel/testing/playwright-ids.ts"
import { randomIds, randomSpanId, traceparent } from "#otel/testing/trace-ids.ts"

const START = 1_800_000_000_000.25

function attempt(changes: Partial<TestAttempt> = {}): TestAttempt {
  return {
    ...randomIds(),
    file: "e2e/cart.spec.ts",
    line: 7,
    titles: ["cart", "is empty"],
    startMs: START,
    endMs: START + 120.5,
    status: "pass",
    retry: 0,
    errors: [],
    steps: [],
    ...changes,
  }
}

/** The spans as an inspector reads them. */
function read(changes: Partial<TestAttempt>) {
  const request = {
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: {}, spans: spansOf(attempt(changes)) }] }],
  }
  const decoded = decodeTraces(new TextEncoder().encode(JSON.stringify(request)), "json", {
    latest: fromMilliseconds(START + 86_400_000),
    maxSpans: Infinity,
  })
  if (!decoded.ok) throw new Error(decoded.problem)
  expect(decoded.drops).toEqual([])
  return decoded.spans
}

describe("the trace of a test", () => {
  test("has a root with the attributes of the semantic conventions, and the framework's times", () => {
    const [root] = read({ retry: 2 })
    expect(root?.name).toBe("e2e/cart.spec.ts › cart › is empty")
    expect(Object.fromEntries(root?.attributes ?? [])).toEqual({
      "test.suite.name": "e2e/cart.spec.ts › cart",
      "test.case.name": "is empty",
      "test.case.result.status": "pass",
      "test.case.retry": 2n,
      "code.file.path": "e2e/cart.spec.ts",
      "code.line.number": 7n,
    })
    expect(root?.startTime).toBe(1_800_000_000_000_250_000n)
    expect(root?.endTime).toBe(1_800_000_000_120_750_000n)
    expect(root?.status.code).toBe("ok")
  })

  test("has failed steps with an exception, in a failed root", () => {
    const error = { name: "AssertionError", message: "\u001b[31mexpected\u001b[39m 1", stack: "at cart.spec.ts:9:1" }
    const step: TestStep = { name: "expect.toBe", startMs: START + 1, endMs: START + 2, error }
    const [root, failed] = read({ status: "fail", errors: [error], steps: [step] })
    for (const span of [root, failed]) {
      expect(span?.status).toEqual({ code: "error", message: "expected 1" })
      expect(span?.events[0]?.name).toBe("exception")
      expect(Object.fromEntries(span?.events[0]?.attributes ?? [])).toEqual({
        "exception.type": "AssertionError",
        "exception.message": "expected 1",
        "exception.stacktrace": "at cart.spec.ts:9:1",
      })
    }
    expect(failed?.parentSpanId).toBe(root?.spanId)
  })

  test("links an attempt to the one before, which is a trace of its own", () => {
    const previous = randomIds()
    const [root] = read({ retry: 1, previous })
    expect(root?.links.map(({ traceId, spanId }) => ({ traceId, spanId }))).toEqual([previous])
    expect(root?.traceId).not.toBe(previous.traceId)
  })

  test("gives a step that did not end the end of the test", () => {
    const [, step] = read({ steps: [{ name: "afterEach", startMs: START + 100 }] })
    expect(step?.endTime).toBe(1_800_000_000_120_750_000n)
  })

  test("is bounded in spans, and counts those that are left out", () => {
    const steps = Array.from({ length: SPAN_LIMIT }, (_, index) => ({
      name: `step ${index}`,
      startMs: START,
      steps: [{ name: "inner", startMs: START }],
    }))
    const spans = read({ steps, omittedSteps: 3 })
    expect(spans).toHaveLength(SPAN_LIMIT)
    expect(spans[0]?.attributes.get("pagespan.omitted_steps")).toBe(BigInt(2 * SPAN_LIMIT - (SPAN_LIMIT - 1) + 3))
  })

  test("contains no secret of names, messages and stacks", () => {
    const error = { message: "GET https://api.example/v1?key=hunter2 failed", stack: "password=hunter2" }
    const step = { name: "open https://user:hunter2@app.example/?token=hunter2", startMs: START, error }
    expect(JSON.stringify(spansOf(attempt({ status: "fail", errors: [error], steps: [step] })))).not.toContain(
      "hunter2",
    )
  })
})

describe("ids", () => {
  test("differ from call to call, and are those of W3C Trace Context", () => {
    const ids = Array.from({ length: 2_000 }, () => [randomIds(), randomSpanId()] as const)
    expect(new Set(ids.map(([{ traceId }]) => traceId)).size).toBe(2_000)
    expect(new Set(ids.flatMap(([{ spanId }, other]) => [spanId, other])).size).toBe(4_000)
    for (const [{ traceId, spanId }] of ids)
      expect(traceparent(traceId, spanId)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })

  test("differ also where a test replaces Math.random", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5)
    const ids = Array.from({ length: 2_000 }, randomIds)
    vi.restoreAllMocks()
    expect(new Set(ids.map(({ traceId }) => traceId)).size).toBe(2_000)
  })

  test("of an attempt are the same in every process that knows its parts", () => {
    expect(attemptIds("run", "test", 0)).toEqual(attemptIds("run", "test", 0))
    expect(attemptIds("run", "test", 0)).not.toEqual(attemptIds("run", "test", 1))
    expect(attemptIds("run1", "1", 0)).not.toEqual(attemptIds("run", "11", 0))
  })
})
