import { createHmac, randomBytes } from "node:crypto"
import { type Attributes, context, type Context, SpanStatusCode, trace } from "@opentelemetry/api"
import { ATTR_CODE_FILE_PATH, ATTR_CODE_FUNCTION_NAME } from "@opentelemetry/semantic-conventions"
import { safely } from "../../../protocol/safely.ts"
import { serverFunction, type WorkStores, type WorkUnitStore } from "./work-stores.ts"

/** The name under which Next holds the cache handlers of `use cache`, by kind. */
const HANDLERS = Symbol.for("@next/cache-handlers-map")

interface CacheEntry {
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  /** Seconds after which the entry is generated again. */
  readonly revalidate?: number
}

interface CacheHandler {
  get(key: string, ...rest: unknown[]): Promise<CacheEntry | undefined>
}

type CacheHandlers = Map<string, CacheHandler>

/** A server function's id: a byte of flags and a SHA-1, in hexadecimal. The key of a cache entry has it before the arguments. */
const FUNCTION_ID = /[0-9a-f]{42}/

/** What Next passes when it generates an entry. */
interface Generation {
  readonly functionId: string
  readonly outerWorkUnitStore: WorkUnitStore
  /** Set where a stale entry was served and is generated again. */
  readonly skipPropagation?: boolean
}

/**
 * Makes spans for `use cache`, for which Next makes none: one for each read of a cache handler, with whether it hit, and one for
 * each run of the cached function. That one is active while the function runs: Next clears the context there, so that requests
 * of the function would have no trace. A value that Next keeps for the rest of one render is not read again, and has no span.
 */
export function traceCaches(stores: WorkStores): void {
  const spans = new CacheSpans(stores)
  watchHandlers((handler, kind) => spans.watch(handler, kind))
  spans.watchGenerations()
}

class CacheSpans {
  readonly #stores: WorkStores
  readonly #watched = new WeakSet<CacheHandler>()
  /** The context in which a render last read a cache. */
  readonly #readers = new WeakMap<WorkUnitStore, Context>()
  /** Names of functions that the app does not export, by id, once they have run. The app's build bounds it. */
  readonly #names = new Map<string, string>()
  readonly #salt = randomBytes(16)

  constructor(stores: WorkStores) {
    this.#stores = stores
  }

  watch(handler: CacheHandler, kind: string): void {
    if (this.#watched.has(handler)) return
    this.#watched.add(handler)
    const get = handler.get
    handler.get = (key, ...rest) => {
      const startTime = now()
      const entry = get.call(handler, key, ...rest)
      // The same promise: Next tells by its timing which part of a page can be prerendered.
      safely(() => this.#read(entry, key, kind, startTime))
      return entry
    }
  }

  #read(entry: Promise<CacheEntry | undefined>, key: string, kind: string, startTime: number): void {
    const reader = context.active()
    const unit = this.#stores.units.getStore()
    if (unit !== undefined) this.#readers.set(unit, reader)
    if (trace.getSpan(reader)?.isRecording() !== true) return
    const record = (outcome: Attributes, error?: unknown) =>
      safely(() => {
        const id = FUNCTION_ID.exec(key)?.[0] ?? ""
        const { name, attributes } = this.#describe(id, kind)
        const span = trace.getTracer("pagespan").startSpan(
          `use cache ${name}`,
          {
            startTime,
            attributes: {
              ...attributes,
              "sentry.op": "cache.get",
              "cache.key": [this.#keyOf(name, key)],
              ...outcome,
            },
          },
          reader,
        )
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(now())
      })
    entry.then(
      (found) => record(outcomeOf(found)),
      (error: unknown) => record({ "cache.hit": false }, error ?? "rejected"),
    )
  }

  watchGenerations(): void {
    const { works, units } = this.#stores
    const run = works.run
    works.run = (store, work, ...args) => {
      const generation = safely(() => args.find(isGeneration))
      if (generation === undefined) return run.call(works, store, work, ...args) as ReturnType<typeof work>
      const generate = () => run.call(works, store, work, ...args) as ReturnType<typeof work>
      return this.#generate(generation, args.find(isNamed)?.name, generate, units)
    }
  }

  #generate<Result>(
    { functionId, outerWorkUnitStore, skipPropagation }: Generation,
    functionName: string | undefined,
    generate: () => Result,
    units: WorkStores["units"],
  ): Result {
    const reader = this.#readers.get(outerWorkUnitStore)
    if (reader === undefined || trace.getSpan(reader)?.isRecording() !== true) return generate()
    const span = safely(() => {
      if (functionName !== undefined) this.#names.set(functionId, functionName)
      const { name, attributes } = this.#describe(functionId)
      const outcome = { "pagespan.cache.outcome": skipPropagation === true ? "revalidation" : "miss" }
      const all = { ...attributes, ...outcome, "sentry.op": "function" }
      return units.exit(() =>
        trace.getTracer("pagespan").startSpan(`generate ${name}`, { startTime: now(), attributes: all }, reader),
      )
    })
    if (span === undefined) return generate()
    const result = context.with(trace.setSpan(reader, span), generate)
    const fail = () => {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(now())
    }
    // The function streams its result: it has run once the entry is complete.
    Promise.resolve(result)
      .then((generated) => (generated as { pendingCacheResult?: unknown } | undefined)?.pendingCacheResult)
      .then(() => span.end(now()), fail)
    return result
  }

  #describe(id: string, kind?: string): { readonly name: string; readonly attributes: Attributes } {
    const { name: exported, file } = serverFunction(id)
    const name = exported ?? this.#names.get(id)
    return {
      name: name ?? file ?? "function",
      attributes: {
        ...(kind === undefined ? {} : { "pagespan.cache.kind": kind }),
        ...(name === undefined ? {} : { [ATTR_CODE_FUNCTION_NAME]: name }),
        ...(file === undefined ? {} : { [ATTR_CODE_FILE_PATH]: file }),
      },
    }
  }

  /** Names a key without its arguments, which may hold anything. Equal keys of one process have equal names. */
  #keyOf(name: string, key: string): string {
    return `${name}#${createHmac("sha256", this.#salt).update(key).digest("hex").slice(0, 8)}`
  }
}

/** An entry that is served although it is to be generated again is a revalidation. */
function outcomeOf(entry: CacheEntry | undefined): Attributes {
  if (entry === undefined) return { "cache.hit": false, "pagespan.cache.outcome": "miss" }
  const { timestamp = 0, revalidate = Infinity } = entry
  const isStale = now() > timestamp + revalidate * 1_000
  return { "cache.hit": true, "pagespan.cache.outcome": isStale ? "revalidation" : "hit" }
}

/** Not `Date.now()`: Next takes that for a dynamic value, and ends a prerender that reads it. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function isGeneration(value: unknown): value is Generation {
  const { functionId, outerWorkUnitStore } = (value ?? {}) as Partial<Generation>
  return typeof functionId === "string" && typeof outerWorkUnitStore === "object" && outerWorkUnitStore !== null
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === "function" && value.name !== ""
}

/** Calls back for each handler that Next has, or adds later: it makes them after `register`. */
function watchHandlers(found: (handler: CacheHandler, kind: string) => void): void {
  const watch = (handlers: CacheHandlers) => {
    for (const [kind, handler] of handlers) safely(() => found(handler, kind))
    const set = handlers.set
    handlers.set = (kind, handler) => {
      safely(() => found(handler, kind))
      return set.call(handlers, kind, handler)
    }
  }
  const globals = globalThis as { [HANDLERS]?: CacheHandlers }
  let handlers = globals[HANDLERS]
  if (handlers !== undefined) return watch(handlers)
  Object.defineProperty(globals, HANDLERS, {
    configurable: true,
    enumerable: true,
    get: () => handlers,
    set: (made: CacheHandlers) => {
      handlers = made
      safely(() => watch(made))
    },
  })
}
