import { describe, expect, test } from "vitest"
import { errorsOfSpans } from "#otel/protocol/records/exception.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

const TRACE_ID = "ab".repeat(16) as TraceId
const STACK = "Error: no such table\n    at load (/app/page.js:3:9)"

function idOf(name: string): SpanId {
  return Buffer.from(name.padStart(8)).toString("hex") as SpanId
}

interface Failing {
  readonly below?: string
  readonly message?: string
  readonly stack?: string
  readonly service?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** A span with an exception. */
function failing(
  name: string,
  { below, message = "no such table", stack = STACK, service = "shop", tags }: Failing = {},
) {
  const attributes = new Map([
    ["exception.type", "Error"],
    ["exception.message", message],
    ["exception.stacktrace", stack],
    ...Object.entries(tags ?? {}),
  ])
  const span = spanRecord(0)
  return {
    ...span,
    ...between(name, below),
    events: [{ time: span.endTime, name: "exception", attributes }],
    resource: { attributes: new Map([["service.name", service]]), schemaUrl: "" },
  }
}

/** A span without one. */
function between(name: string, below?: string): SpanRecord {
  return spanRecord(0, { traceId: TRACE_ID, spanId: idOf(name), parentSpanId: below && idOf(below), name } as never)
}

function spansOfErrors(...spans: readonly SpanRecord[]): string[] {
  return errorsOfSpans(spans).map(({ transaction }) => transaction)
}

test("the exception of a span that only carries it is an error of the span above, and each of several is one", () => {
  const above = between("pageload")
  const carrying = (name: string) => ({ ...failing(name, { below: "pageload" }), name: "exception" })
  const { startTime } = above
  const errors = errorsOfSpans([
    above,
    { ...carrying("first"), endTime: startTime },
    { ...carrying("second"), endTime: startTime },
    { ...carrying("lasting"), endTime: (startTime + 1n) as typeof startTime },
    { ...carrying("alone"), endTime: startTime, parentSpanId: undefined },
  ])
  const [first, second, lasting, alone] = errors
  expect(errors.map(({ spanId }) => spanId)).toEqual(["pageload", "pageload", "lasting", "alone"].map(idOf))
  expect(first?.eventId).not.toBe(second?.eventId)
  expect(lasting?.issueId).toBe(alone?.issueId)
})

test("an exception that the spans above repeat is one error, of the uppermost span", () => {
  const [error, ...more] = errorsOfSpans([
    failing("modules", { below: "tree" }),
    failing("tree", { below: "step" }),
    between("step", "render"),
    failing("render", { below: "request", tags: { "error.digest": "123" } }),
    between("request"),
  ])
  expect(more).toStrictEqual([])
  expect(error).toMatchObject({ transaction: "render", spanId: idOf("render"), value: "no such table" })
  expect(error?.tags.get("error.digest")).toBe("123")
})

test("an exception without a stack is repeated by its type and message", () => {
  expect(spansOfErrors(failing("query", { below: "request", stack: "" }), failing("request", { stack: "" }))).toEqual([
    "request",
  ])
})

test("equal exceptions of siblings, of other services and of spans that are not above are errors of their own", () => {
  expect(spansOfErrors(failing("first", { below: "root" }), failing("second", { below: "root" }))).toHaveLength(2)
  expect(spansOfErrors(failing("query", { below: "request", service: "stock" }), failing("request"))).toHaveLength(2)
  expect(spansOfErrors(failing("query", { below: "absent" }), failing("request"))).toHaveLength(2)
})

test("another exception of the span above is an error of its own", () => {
  expect(spansOfErrors(failing("query", { below: "request" }), failing("request", { message: "gone" }))).toHaveLength(2)
  const rethrown = `${STACK.replace("load", "retry")}`
  expect(spansOfErrors(failing("query", { below: "request" }), failing("request", { stack: rethrown }))).toHaveLength(2)
})

test("two equal exceptions of one span are two errors, and so are those of spans in a circle", () => {
  const twice = failing("query", { below: "request" })
  expect(spansOfErrors({ ...twice, events: [...twice.events, ...twice.events] })).toHaveLength(2)
  expect(spansOfErrors(failing("one", { below: "two" }), failing("two", { below: "one" }))).toHaveLength(2)
  expect(spansOfErrors(failing("own", { below: "own" }))).toHaveLength(1)
})

test("a long chain of spans is not walked to its end for each of its exceptions", () => {
  const chain = Array.from({ length: 2_000 }, (_, index) => failing(`${index}`, { below: `${index + 1}` }))
  // Only the uppermost 32 are near enough to its end.
  expect(errorsOfSpans(chain)).toHaveLength(2_000 - 31)
})

describe("an exception in the attributes of a span", () => {
  const span = failing("exception", { tags: { "url.path": "/cart" } })
  const { events } = span
  const inAttributes: SpanRecord = {
    ...span,
    events: [],
    attributes: events[0]!.attributes,
    status: { code: "error", message: "" },
  }

  test("that failed is an error, at its end, with the other attributes as tags", () => {
    expect(errorsOfSpans([inAttributes])).toMatchObject([
      {
        type: "Error",
        value: "no such table",
        time: span.endTime,
        transaction: "exception",
        spanId: idOf("exception"),
      },
    ])
    expect([...errorsOfSpans([inAttributes])[0]!.tags]).toEqual([["url.path", "/cart"]])
  })

  test("counts once if an event has it, and not at all if the span did not fail", () => {
    expect(errorsOfSpans([{ ...inAttributes, events }])).toHaveLength(1)
    expect(errorsOfSpans([{ ...inAttributes, status: { code: "unset", message: "" } }])).toEqual([])
  })
})

describe("an exception without its class", () => {
  const named = (message: string, stack = "") => {
    const { events, ...span } = failing("page", { message, stack })
    events[0]!.attributes.delete("exception.type")
    const [error] = errorsOfSpans([{ ...span, events }])
    return [error!.type, error!.value]
  }
  const at = "\n    at pay (https://shop.example/a.js:1:2)"

  test.each([
    ["Uncaught TypeError: x is null", "", ["TypeError", "x is null"]],
    ["Uncaught (in promise) RangeError: too far: 7", "", ["RangeError", "too far: 7"]],
    ["DOMException: aborted\nfor good", "", ["DOMException", "aborted\nfor good"]],
    ["Unhandled promise rejection: too far", `RangeError: too far${at}`, ["RangeError", "too far"]],
    ["too\nfar", `CartFault: too\nfar${at}`, ["CartFault", "too\nfar"]],
    ["no URL", `TypeError [ERR_INVALID_URL]: no URL${at}`, ["TypeError", "no URL"]],
  ])("has that of its text or of its stack: %j, %j", (message, stack, expected) => {
    expect(named(message, stack)).toEqual(expected)
  })

  test.each([
    ["Script error.", ""],
    ["payment failed", `RangeError: too far${at}`],
    ["payment failed", "pay@https://shop.example/a.js:1:2"],
    ["the Error: is in the middle", ""],
  ])("has none if neither names it: %j, %j", (message, stack) => {
    expect(named(message, stack)).toEqual(["", message])
  })

  test("is grouped by it: two errors of one place are two issues", () => {
    const issues = ["TypeError", "RangeError"].map((type) => {
      const { events, ...span } = failing("page", { message: `Uncaught ${type}: 1`, stack: `${type}: 1${at}` })
      events[0]!.attributes.delete("exception.type")
      return errorsOfSpans([{ ...span, events }])[0]!.issueId
    })
    expect(new Set(issues).size).toBe(2)
  })
})
