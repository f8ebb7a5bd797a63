import { ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api"
import { beforeEach, expect, test } from "vitest"
import { PAGE_QUEUE_SPAN_LIMIT } from "#otel/protocol/limits.ts"
import { PageBridge } from "#otel/sdk/browser/page-bridge.ts"
import type { Recorder } from "#otel/sdk/browser/recorder/recorder.ts"
import type { Filters } from "#otel/sdk/filters.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { recorderOf } from "./recorder/recorder-of.ts"

let delivered: string[][]
let dropped: string[]
let failed: string[]
let filters: Filters
let provider: Recorder

beforeEach(() => {
  delivered = []
  dropped = []
  failed = []
  filters = { errors: [], transactions: [] }
  const bridge = new PageBridge({
    side: "page",
    filters: () => filters,
    filterFailed: (filter) => failed.push(filter),
    deliver: ({ payload }) =>
      delivered.push([payload.transaction, ...payload.spans.map(({ description }) => description)]),
    drop: (reason, category, count) => dropped.push(`${reason}/${category}=${count}`),
    newEventId: () => "9".repeat(32),
    mapping: semconvMapping,
  })
  provider = recorderOf(bridge)
})

const start = (name: string, parent?: Span) =>
  provider
    .getTracer("test")
    .startSpan(name, {}, parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent))

test("a root is delivered with all descendants that have ended, and later ones are delivered by themselves", () => {
  const root = start("root")
  const child = start("child", root)
  const late = start("late", root)
  start("grandchild", child).end()
  child.end()
  root.end()
  late.end()
  expect(delivered).toEqual([["root", "grandchild", "child"], ["late"]])
})

test("concurrent roots keep their own children", () => {
  const [page, own] = [start("page"), start("own")]
  start("of own", own).end()
  start("of page", page).end()
  own.end()
  page.end()
  expect(delivered).toEqual([
    ["own", "of own"],
    ["page", "of page"],
  ])
})

test("children beyond the page's limit are counted", () => {
  const root = start("root")
  for (let index = 0; index < PAGE_QUEUE_SPAN_LIMIT + 5; index++) start("child", root).end()
  root.end()
  expect(delivered[0]).toHaveLength(PAGE_QUEUE_SPAN_LIMIT + 1)
  expect(dropped).toEqual(["limit_spans/span=5"])
})

test("endless roots do not displace others, and none of their spans is dropped or delivered twice", () => {
  const first = start("first")
  start("child of first", first).end()
  for (let index = 0; index < 64; index++) start(`endless ${index}`)
  expect(delivered).toEqual([["child of first"]])
  const last = start("last")
  start("child of last", last).end()
  last.end()
  first.end()
  expect(delivered).toEqual([["child of first"], ["last", "child of last"], ["first"]])
  expect(dropped).toEqual([])
})

const facts = { name: "filter", reason: "not_found_trace" } as const
const fail = () => {
  throw new Error("in the filter")
}

test.each<[string, unknown]>([
  ["throws", fail],
  ["returns a promise", async () => true],
  ["rejects", async () => fail()],
  ["returns a number", () => 1],
  ["is no function", undefined],
])("a filter that %s drops nothing, and the end of the span does not throw", (_, drops) => {
  filters = { errors: [], transactions: [{ ...facts, drops: drops as () => boolean }] }
  const root = start("root")
  start("child", root).end()
  root.end()
  expect(delivered).toEqual([["root", "child"]])
  expect(failed).toEqual(["filter"])
  expect(dropped).toEqual([])
})

test("a filter after a failed one still drops", () => {
  filters = {
    errors: [],
    transactions: [
      { ...facts, drops: fail },
      { ...facts, drops: ({ name }) => name === "root" },
    ],
  }
  start("root").end()
  start("other").end()
  expect(delivered).toEqual([["other"]])
  expect(dropped).toEqual(["not_found_trace/transaction=1", "not_found_trace/span=1"])
})
