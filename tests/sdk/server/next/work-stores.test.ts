import { AsyncLocalStorage } from "node:async_hooks"
import { createRequire } from "node:module"
import { context, propagation, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { traceActions } from "#otel/sdk/server/next/action-spans.ts"
import { traceCaches } from "#otel/sdk/server/next/cache-spans.ts"
import { PrerenderCheck } from "#otel/sdk/server/next/prerender-check.ts"
import {
  type Storage,
  type WorkStore,
  type WorkStores,
  workStores,
  type WorkUnitStore,
} from "#otel/sdk/server/next/work-stores.ts"

const require = createRequire(import.meta.url)
// As Next's server does before it loads both.
Object.assign(globalThis, { AsyncLocalStorage })
const UNITS = "next/dist/server/app-render/work-unit-async-storage.external.js"
require("next/dist/server/app-render/work-async-storage.external.js")
const { afterRegistration } = require("next/dist/server/lib/router-utils/instrumentation-node-extensions.js") as {
  afterRegistration(): void
}

const HANDLERS = Symbol.for("@next/cache-handlers-map")

const exporter = new InMemorySpanExporter()
let stores: WorkStores
beforeEach(() => {
  stores = workStores()!
  new NodeTracerProvider({
    spanProcessors: [new PrerenderCheck(stores), new SimpleSpanProcessor(exporter)],
  }).register()
})
afterEach(() => {
  for (const api of [trace, context, propagation]) api.disable()
  exporter.reset()
})

/** A unit of a render, as Next has it: other fields are not read. */
const unit = (more: Partial<WorkUnitStore> = {}): WorkUnitStore => ({ type: "prerender", ...more })

test("the storages are those that Next's server uses", () => {
  const { workUnitAsyncStorage } = require(UNITS) as { workUnitAsyncStorage: Storage<WorkUnitStore> }
  expect(stores.units).toBe(workUnitAsyncStorage)
})

describe("a tracer that creates spans within a prerender", () => {
  test("is named, unless Next has prepared its provider after register()", () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue()
    const early = trace.getTracer("early-library")
    early.startSpan("before").end()
    afterRegistration()
    stores.units.run(unit(), () => trace.getTracer("prepared").startSpan("inside").end())
    expect(warn).not.toHaveBeenCalled()
    const own = new NodeTracerProvider({ spanProcessors: [new PrerenderCheck(stores)] }).getTracer("own-provider")
    stores.units.run(unit(), () => own.startSpan("inside").end())
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(
        /^pagespan: the tracer "own-provider" creates spans within renders.*register\(\) of instrumentation\.ts/,
      ),
    )
  })
})

describe("without what another version of Next may lack", () => {
  /** Storages of their own, whose stores have nothing that Pagespan reads. */
  function bareStores(): WorkStores {
    const storage = () => ({
      getStore: () => undefined,
      run: <Result>(_store: unknown, work: (...args: unknown[]) => Result, ...args: unknown[]) => work(...args),
      exit: <Result>(work: () => Result) => work(),
    })
    return { works: storage(), units: storage() }
  }

  test("what runs in a storage runs as before, with its arguments, results and errors", () => {
    const bare = bareStores()
    traceActions(bare)
    traceCaches(bare)
    const thrown = new Error("thrown")
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("not for you")
        },
      },
    )
    for (const { run } of [bare.works, bare.units] as const) {
      expect(run(undefined as never, (one, other) => one === 1 && other === hostile, 1, hostile)).toBe(true)
      expect(() =>
        run({}, () => {
          throw thrown
        }),
      ).toThrow(thrown)
    }
  })

  test("an action runs once, and its caller gets what it throws, when no span can be made", async () => {
    const bare = bareStores()
    const works = { ...bare.works, getStore: () => ({ route: "/cart", page: "/cart/page" }) }
    const stores = { ...bare, works }
    traceActions(stores)
    vi.spyOn(trace, "getTracer").mockImplementation(() => {
      throw new Error("no tracer")
    })
    const action = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("of the action")))
    await expect(stores.units.run(unit({ type: "request", phase: "action" }), action)).rejects.toThrow("of the action")
    expect(action).toHaveBeenCalledOnce()
    vi.restoreAllMocks()
  })

  test("a cache is read once, and its function runs once, when no span can be made", async () => {
    const entry = Promise.resolve({ timestamp: 1, revalidate: 1 })
    const handler = { get: vi.fn<(key: string) => unknown>(() => entry) }
    const { get } = handler
    const globals = globalThis as { [HANDLERS]?: ReadonlyMap<string, unknown> }
    globals[HANDLERS] = new Map([["default", handler]])
    const store: WorkStore = { runInCleanSnapshot: (work, ...args) => work(...args) }
    const bare = bareStores()
    traceCaches(bare)
    vi.spyOn(trace, "getSpan").mockImplementation(() => {
      throw new Error("no span")
    })
    const generate = vi.fn<(...args: unknown[]) => unknown>(() => "generated")
    bare.works.run(store, () => {
      expect(handler.get("key")).toBe(entry)
      expect(store.runInCleanSnapshot!(generate, store, { functionId: "7f" })).toBe("generated")
    })
    expect(get).toHaveBeenCalledExactlyOnceWith("key")
    expect(generate).toHaveBeenCalledExactlyOnceWith(store, { functionId: "7f" })
    vi.restoreAllMocks()
    delete globals[HANDLERS]
  })
})

test.each([
  [
    "throws at once",
    () => {
      throw new Error("of the handler")
    },
    2,
  ],
  ["rejects", () => Promise.reject(new Error("of the handler")), 2],
  ["returns no promise", () => ({ timestamp: 1, revalidate: 1 }), 0],
])("a read of a cache handler that %s has a span that has ended, and its outcome", async (_how, get, status) => {
  const handler = { get }
  const globals = globalThis as { [HANDLERS]?: ReadonlyMap<string, unknown> }
  globals[HANDLERS] = new Map([["remote", handler]])
  const { run } = stores.works
  onTestFinished(() => {
    delete globals[HANDLERS]
    stores.works.run = run
  })
  traceCaches(stores)
  const read = trace.getTracer("test").startActiveSpan("render", (span) => {
    const result = stores.works.run({} as WorkStore, async () => (handler.get as (key: string) => unknown)("key"))
    span.end()
    return result
  })
  const outcome = await read.then(
    () => "returned",
    (error: Error) => error.message,
  )
  expect(outcome).toBe(status === 0 ? "returned" : "of the handler")
  const spans = () => exporter.getFinishedSpans().filter(({ name }) => name.startsWith("use cache"))
  await expect.poll(() => spans().map((span) => span.status.code)).toEqual([status])
})
