import { dedupeIntegration } from "@sentry/browser"
import type { Event } from "@sentry/core"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createPageSentry } from "#otel/sdk/browser/delivery/sentry-client.ts"
import { sendSpanStream } from "#otel/sdk/sentry/span-stream.ts"
import { eventFromThrown } from "#otel/sdk/browser/errors/event-from-thrown.ts"
import type { SentryCalls } from "#otel/sdk/browser/errors/sentry-calls.ts"
import { type Filters, setFilters } from "#otel/sdk/filters.ts"
import { processState } from "#otel/sdk/process-state.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"

const calls = processState<SentryCalls>("sentry-calls")

afterEach(() => {
  setFilters({})
  calls.value = undefined
})

/** The Sentry client of a page. Only its network is replaced. */
function pageSentry(url = "https://shop.example/cart") {
  const items: Payload[] = []
  const sizes: number[] = []
  const drops: string[] = []
  const sentry = createPageSentry({
    settings: { service: "shop", environment: "production" },
    url: "https://sentry.example/monitoring",
    fetch: async (_, { body } = {}) => {
      const text = String(body)
      sizes.push(text.length)
      items.push(JSON.parse(text.split("\n")[2]!) as Payload)
      return new Response()
    },
    requestOf: () => ({ url, headers: {} }),
    isOver: () => false,
    isTunnelled: () => true,
    stream: async () => sendSpanStream,
    traceOf: () => undefined,
    recordError: () => undefined,
    dropped: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
  })
  const mechanism = { type: "auto.react.error_boundary", handled: true } as const
  const capture = (thrown: unknown) =>
    sentry.captureError({
      thrown,
      exception: undefined,
      message: "",
      position: undefined,
      mechanism,
      at: 0,
      span: undefined,
      root: undefined,
    })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20))
  return { sentry, capture, items, sizes, drops, settled }
}

/** Has the same place wherever it is called. */
function errorAt(line: number, message = "boom", type = "Error"): Error {
  const error = Object.assign(new Error(message), { name: type })
  error.stack = `${type}: ${message}\n    at run (https://shop.example/app.js:${line}:2)`
  return error
}

describe("of two errors of a page", () => {
  test.each<[what: string, first: () => unknown, second: () => unknown]>([
    ["one error from one place", () => errorAt(1), () => errorAt(1)],
    ["one error from two places", () => errorAt(1), () => errorAt(2)],
    ["two messages from one place", () => errorAt(1), () => errorAt(1, "bang")],
    ["two types from one place", () => errorAt(1), () => errorAt(1, "boom", "TypeError")],
    ["one text", () => "a text", () => "a text"],
    ["two texts", () => "a text", () => "another"],
    ["a text, and an error of that text", () => "boom", () => errorAt(1)],
    ["one object", () => ({ code: 1 }), () => ({ code: 2 })],
    ["two objects", () => ({ code: 1 }), () => ({ status: 1 })],
  ])("the second is sent if Sentry's own integration would send it: %s", async (_, first, second) => {
    const { capture, items, settled } = pageSentry()
    const dedupe = dedupeIntegration()
    const sends = (event: Event) => dedupe.processEvent?.(event, {}, undefined as never) !== null
    const expected = [first, second].filter((thrown) => sends(eventFromThrown(thrown())))
    for (const thrown of [first, second]) capture(thrown())
    await settled()
    expect(items).toHaveLength(expected.length)
  })

  test("the same as the one before the last is sent", async () => {
    const { capture, items, settled, drops } = pageSentry()
    for (const line of [1, 2, 1, 1]) capture(errorAt(line))
    await settled()
    expect(items).toHaveLength(3)
    expect(drops).toEqual(["event_processor/error=1"])
  })
})

/** Each object knows all others. */
function linkedGraph(count: number): object[] {
  const nodes = Array.from({ length: count }, (_, id) => ({ id, others: [] as object[] }))
  for (const node of nodes) node.others = nodes
  return nodes
}

describe("what an app adds to an event of a page", () => {
  const add = (fields: object) => setFilters({ beforeSend: (event) => ({ ...event, ...fields }) })
  const deep = { a: { b: { c: { d: 1 } } } }

  test("is cut where Sentry's own client cuts it, in extra, user and contexts, and not on the trace", async () => {
    const { capture, items, settled } = pageSentry()
    const trace = { trace_id: "1".repeat(32), span_id: "2".repeat(16), data: { own: { a: { b: 1 } } } }
    add({ extra: deep, user: { id: "u42", deep }, contexts: { deep, trace }, tags: { plan: "pro" } })
    capture(new Error("boom"))
    await settled()
    expect(items[0]).toMatchObject({
      extra: { a: { b: { c: "[Object]" } } },
      user: { id: "u42", deep: { a: { b: "[Object]" } } },
      contexts: { deep: { a: { b: "[Object]" } }, trace },
      tags: { plan: "pro" },
    })
  })

  // Eight of them are 110,000 objects if each path is followed, and some more are too many for any page.
  test("is a small event, also of a graph whose objects all know each other", async () => {
    const { capture, items, sizes, settled } = pageSentry()
    add({ extra: { graph: linkedGraph(8), list: Array.from({ length: 3_000 }, (_, index) => index) } })
    capture(new Error("boom"))
    await settled()
    expect(sizes[0]).toBeLessThan(20_000)
    expect(items[0]?.["extra"].graph[1]).toEqual({ id: 1, others: "[Array]" })
    expect(items[0]?.["extra"].list).toHaveLength(1_001)
  })
})

test("the address of a page has no secret in its path in an error, whatever its parameter is called", async () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
  const { capture, items, settled } = pageSentry(`https://shop.example/invite/${token}`)
  capture(new Error("boom"))
  await settled()
  expect(items[0]?.["request"].url).toBe("https://shop.example/invite/[Filtered]")
})

describe("an asynchronous beforeSend", () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => void rejections.push(reason)

  beforeEach(() => {
    rejections.length = 0
    process.on("unhandledRejection", note)
    return () => void process.off("unhandledRejection", note)
  })

  test("whose event cannot be sent loses that error only, counted, and rejects nothing in the app", async () => {
    const { capture, items, drops, settled } = pageSentry()
    const beforeSend = async (event: { message?: string | undefined }) =>
      event.message === "broken" ? { exception: { values: 7 } } : event
    setFilters({ beforeSend: beforeSend as unknown as NonNullable<Filters["beforeSend"]> })
    for (const text of ["broken", "fine"]) capture(text)
    await settled()
    expect(items.map(({ message }) => message)).toEqual(["fine"])
    expect(drops).toEqual(["internal_sdk_error/error=1"])
    expect(rejections).toEqual([])
  })
})

test("a transaction that a processor drops is counted with its spans", async () => {
  calls.value = {
    take: () => false,
    isMessage: () => false,
    connect: (client) => {
      client.addEventProcessor((event) => (event.transaction === "GET /health" ? null : event))
      return (event) => event
    },
  }
  const { drops, items, sentry, settled } = pageSentry()
  const child = finishedSpan({ spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } })
  const options = { platform: "javascript", eventId: "9".repeat(32), mapping: semconvMapping } as const
  for (const name of ["GET /health", "GET /items"])
    sentry.captureTransaction(assembleTransaction(finishedSpan({ name }), [child], options), {})
  await settled()
  expect(items.map(({ transaction }) => transaction)).toEqual(["GET /items"])
  expect(drops).toEqual(["event_processor/transaction=1", "event_processor/span=2"])
})
