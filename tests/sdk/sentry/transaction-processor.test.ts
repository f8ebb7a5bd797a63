import { AsyncLocalStorage } from "node:async_hooks"
import { type Context, context, type ContextManager, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api"
import { RandomIdGenerator, type ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import type { Filters } from "#otel/sdk/filters.ts"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import type { Transaction } from "#otel/sdk/sentry/transaction-payload.ts"
import { TransactionProcessor } from "#otel/sdk/sentry/transaction-processor.ts"
import { finishedSpan } from "./finished-span.ts"

const ROOT = { name: "root", spanId: "1".repeat(16) }
const CHILD = { name: "child", spanId: "2".repeat(16), parent: { spanId: ROOT.spanId } }
const GRANDCHILD = { name: "grandchild", spanId: "3".repeat(16), parent: { spanId: CHILD.spanId } }

let delivered: Transaction[]
let samples: string[]
let dropped: [reason: string, category: string, count: number][]

beforeEach(() => {
  vi.useFakeTimers()
  delivered = []
  dropped = []
  samples = []
})
afterEach(() => vi.useRealTimers())

function processor(
  graceMs = 0,
  filters: Filters = { errors: [], transactions: [] },
  onDelivery = () => {},
): TransactionProcessor {
  return new TransactionProcessor({
    side: "server",
    graceMs,
    spanLimit: 20_000,
    filters: () => filters,
    filterFailed: () => undefined,
    deliver: (transaction) => {
      delivered.push(transaction)
      onDelivery()
    },
    drop: (reason, category, count, sample) => {
      dropped.push([reason, category, count])
      samples.push(sample)
    },
    newEventId: new RandomIdGenerator().generateTraceId,
    mapping: semconvMapping,
  })
}

function run(bridge: TransactionProcessor, starts: ReadableSpan[], ends: ReadableSpan[]): void {
  for (const span of starts) bridge.onStart(span)
  for (const span of ends) bridge.onEnd(span)
}

function sum(reason: string, category: string): number {
  return dropped
    .filter(([dropReason, dropCategory]) => dropReason === reason && dropCategory === category)
    .reduce((total, [, , count]) => total + count, 0)
}

function hexId(index: number): string {
  return (index + 16).toString(16).padStart(16, "0")
}

function names(): string[][] {
  return delivered.map(({ payload }) => [payload.transaction, ...payload.spans.map(({ description }) => description)])
}

describe("the bridge", () => {
  const [root, child, grandchild] = [finishedSpan(ROOT), finishedSpan(CHILD), finishedSpan(GRANDCHILD)]

  test("makes one transaction of a root and its descendants", () => {
    run(processor(), [root, child, grandchild], [grandchild, child, root])
    expect(names()).toEqual([["root", "grandchild", "child"]])
  })

  test("treats a span with a remote parent as a root", () => {
    const remote = finishedSpan({ ...ROOT, parent: { spanId: "9".repeat(16), isRemote: true } })
    run(processor(), [remote, child], [child, remote])
    expect(names()).toEqual([["root", "child"]])
  })

  test("waits for late children during its grace period, and no longer", () => {
    const bridge = processor(500)
    run(bridge, [root, child, grandchild], [root])
    vi.advanceTimersByTime(499)
    bridge.onEnd(child)
    expect(delivered).toEqual([])
    vi.advanceTimersByTime(1)
    bridge.onEnd(grandchild)
    expect(names()).toEqual([["root", "child"], ["grandchild"]])
    expect(delivered[1]?.payload.contexts.trace.parent_span_id).toBe(CHILD.spanId)
  })

  test("emits waiting roots when it is flushed", async () => {
    const bridge = processor(500)
    run(bridge, [root, child], [child, root])
    await bridge.forceFlush()
    expect(names()).toEqual([["root", "child"]])
  })

  test("counts what a filter drops, as a transaction and as its spans", () => {
    const filter = { name: "all", reason: "not_found_trace" as const, drops: () => true }
    run(processor(0, { errors: [], transactions: [filter] }), [root, child], [child, root])
    expect(delivered).toEqual([])
    expect(dropped).toEqual([
      ["not_found_trace", "transaction", 1],
      ["not_found_trace", "span", 2],
    ])
  })

  test("drops the oldest of too many endless roots, counted, and stays bounded", () => {
    const bridge = processor()
    const roots = Array.from({ length: 1_500 }, (_, index) => finishedSpan({ ...ROOT, spanId: hexId(index) }))
    for (const span of roots) bridge.onStart(span)
    expect(sum("expired", "transaction")).toBe(500)
    expect(sum("expired", "span")).toBe(500)
    for (const span of roots) bridge.onEnd(span)
    expect(delivered).toHaveLength(1_000)
  })

  test("drops a root that has not ended in ten minutes, with its ended children, and counts each once", () => {
    const bridge = processor()
    run(bridge, [root, child], [child])
    vi.advanceTimersByTime(600_000)
    const next = finishedSpan({ name: "next", spanId: "8".repeat(16) })
    run(bridge, [next], [next])
    expect(names()).toEqual([["next"]])
    expect([sum("expired", "transaction"), sum("expired", "span")]).toEqual([1, 2])
    bridge.onEnd(root)
    expect(delivered).toHaveLength(1)
  })

  test("keeps open roots when the machine's clock is set a day ahead", () => {
    const bridge = processor()
    run(bridge, [root, child], [child])
    vi.setSystemTime(Date.now() + 86_400_000)
    const next = finishedSpan({ name: "next", spanId: "8".repeat(16) })
    run(bridge, [next], [next, root])
    expect(names()).toEqual([["next"], ["root", "child"]])
    expect(dropped).toEqual([])
  })

  test("buffers no more finished children than its limit over all open roots, and counts the others", () => {
    const bridge = processor()
    const other = finishedSpan({ name: "other", spanId: "7".repeat(16) })
    const below = (parent: string, from: number) =>
      Array.from({ length: 9_999 }, (_, index) =>
        finishedSpan({ name: "x", spanId: hexId(from + index), parent: { spanId: parent } }),
      )
    const third = finishedSpan({ name: "third", spanId: "6".repeat(16) })
    const children = [
      ...below(ROOT.spanId, 0),
      ...below(other.spanContext().spanId, 20_000),
      ...below(third.spanContext().spanId, 40_000),
    ]
    run(bridge, [root, other, third, ...children], [...children, root, other, third])
    expect(delivered.map(({ payload }) => payload.spans.length)).toEqual([9_999, 9_999, 2])
    expect(dropped).toEqual([["limit_spans", "span", 9_997]])
    run(bridge, [root, child], [child, root])
    expect(delivered.at(-1)?.payload.spans).toHaveLength(1)
  })

  test("counts the spans under a root that may have no more members, and makes no transactions of them", () => {
    const bridge = processor()
    bridge.onStart(root)
    const open = Array.from({ length: 12_000 }, (_, index) => finishedSpan({ ...CHILD, spanId: hexId(index) }))
    const below = finishedSpan({ name: "below", spanId: hexId(20_000), parent: { spanId: hexId(11_999) } })
    run(bridge, [...open, below], [...open, below, root])
    expect(delivered).toHaveLength(1)
    expect(delivered[0]?.payload.spans).toHaveLength(9_999)
    expect(sum("limit_spans", "span")).toBe(12_000 + 1 - 9_999)
  })

  test("emits nothing of a trace that is not sampled, and counts its transaction and its spans", () => {
    const unsampled = { ...ROOT, sampled: false }
    run(processor(), [finishedSpan(unsampled)], [finishedSpan({ ...CHILD, sampled: false }), finishedSpan(unsampled)])
    expect(delivered).toEqual([])
    expect([sum("sample_rate", "transaction"), sum("sample_rate", "span")]).toEqual([1, 2])
  })

  test("never reports the query of a root that it drops", () => {
    const filter = { name: "all", reason: "not_found_trace" as const, drops: () => true }
    const secretive = finishedSpan({ ...ROOT, name: "GET /reset?token=hunter2" })
    run(processor(0, { errors: [], transactions: [filter] }), [secretive], [sanitizeSpan(secretive)])
    expect(samples.join()).toContain("GET /reset")
    expect(samples.join()).not.toContain("hunter2")
  })
})

test("each root is emitted in the context of its own request, whoever causes it to be emitted", async () => {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, self, ...values) => storage.run(given, () => work.apply(self!, values)),
    bind: (given, work) => ((...values: []) => storage.run(given, () => (work as () => unknown)(...values))) as never,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager)
  onTestFinished(() => context.disable())
  const USER = createContextKey("user")
  const users: unknown[] = []
  const bridge = processor(500, undefined, () => users.push(context.active().getValue(USER)))
  const as = (user: string, work: () => void) => context.with(context.active().setValue(USER, user), work)
  const [a, b, c] = [1, 2, 3].map((index) => finishedSpan({ ...ROOT, spanId: hexId(index) }))
  for (const [user, span] of [
    ["a", a!],
    ["b", b!],
    ["c", c!],
  ] as const)
    as(user, () => run(bridge, [span], [span]))
  as("x", () => bridge.emitEnded(b!.spanContext().spanId))
  as("y", () => void bridge.forceFlush())
  expect(users).toEqual(["b", "a", "c"])
})

test("a root with more spans than are tracked takes no room from another root of its trace", () => {
  const bridge = processor()
  const full = finishedSpan(ROOT)
  const many = Array.from({ length: 10_001 }, (_, index) =>
    finishedSpan({ name: "of the full root", spanId: hexId(index), parent: { spanId: ROOT.spanId } }),
  )
  const other = finishedSpan({ name: "other", spanId: "e".repeat(16) })
  const child = finishedSpan({ name: "child of other", spanId: "d".repeat(16), parent: { spanId: "e".repeat(16) } })
  run(bridge, [full, ...many, other, child], [child, other])
  expect(names()).toEqual([["other", "child of other"]])
  const refused = finishedSpan({ name: "late", spanId: "c".repeat(16), parent: { spanId: hexId(10_000) } })
  run(bridge, [refused], [refused])
  expect(names()).toHaveLength(1)
})
