import { createHmac, randomBytes } from "node:crypto"
import { type Attributes, context, type Context, type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import { ATTR_CODE_FILE_PATH, ATTR_CODE_FUNCTION_NAME } from "@opentelemetry/semantic-conventions"
import { safely } from "../../../protocol/safely.ts"
import { type CleanSnapshot, serverFunction, type WorkStore, type WorkStores } from "./work-stores.ts"

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

/** What Next passes when it generates an entry. */
interface Generation {
  readonly functionId: string
  /** Set where a stale entry was served and is generated again. */
  readonly skipPropagation?: boolean
}

type Outcome = "hit" | "miss" | "revalidation"

/** A server function's id: a byte of flags and a SHA-1, in hexadecimal. The key of a cache entry has it before the arguments. */
const FUNCTION_ID = /[0-9a-f]{42}/
const OUTCOME = "pagespan.cache.outcome"

/**
 * Makes spans for `use cache`, for which Next makes none: one for each read of a cache handler, with whether it hit, and one for
 * each run of the cached function. That one is active while the function runs: Next clears the context there, so that requests
 * of the function would have no trace. A value that Next keeps for the rest of one render is not read again, and has no span.
 */
export function traceCaches({ works }: WorkStores): void {
  const run = works.run
  works.run = (store, work, ...args) => {
    safely(watchHandlers)
    safely(() => watchGenerations(store))
    return run.call(works, store, work, ...args) as ReturnType<typeof work>
  }
}

/** Handlers and snapshots that make spans. Next copies a snapshot from one store to another. */
const watched = new WeakSet<object>()

/** Next makes its handlers, and the app's, before it works on the first request. */
function watchHandlers(): void {
  const handlers = (globalThis as { [HANDLERS]?: ReadonlyMap<string, CacheHandler> })[HANDLERS]
  for (const [kind, handler] of handlers ?? []) {
    if (watched.has(handler)) continue
    watched.add(handler)
    const get = handler.get
    handler.get = (key, ...rest) => {
      const span = safely(() => spanOfRead(key, kind))
      const entry = orFail(span, () => get.call(handler, key, ...rest))
      if (span !== undefined) safely(() => endOfRead(span, entry))
      // The same promise: Next concludes from its timing which part of a page can be prerendered.
      return entry
    }
  }
}

function spanOfRead(key: string, kind: string): Span | undefined {
  const parent = context.active()
  if (!isRecorded(parent)) return undefined
  const { name, source } = describe(FUNCTION_ID.exec(key)?.[0] ?? "")
  const attributes = {
    ...source,
    "sentry.op": "cache.get",
    "pagespan.cache.kind": kind,
    "cache.key": [`${name}:${digestOf(key)}`],
  }
  return trace.getTracer("pagespan").startSpan(`use cache ${name}`, { attributes }, parent)
}

/** A handler of the app may return no promise: Next awaits what it returns. */
function endOfRead(span: Span, entry: Promise<CacheEntry | undefined>): void {
  Promise.resolve(entry).then(
    (found) => span.setAttributes({ "cache.hit": found !== undefined, [OUTCOME]: outcomeOf(found) }).end(),
    () => fail(span),
  )
}

/** An entry that is served although it is to be generated again is a revalidation. */
function outcomeOf(entry: CacheEntry | undefined): Outcome {
  if (entry === undefined) return "miss"
  const { timestamp = 0, revalidate = Infinity } = entry
  // Not `Date.now()`: Next takes that for a dynamic value, and ends a prerender that reads it.
  const now = performance.timeOrigin + performance.now()
  return now > timestamp + revalidate * 1_000 ? "revalidation" : "hit"
}

function watchGenerations(store: WorkStore): void {
  const snapshot = store.runInCleanSnapshot
  if (snapshot === undefined || watched.has(snapshot)) return
  const traced: CleanSnapshot = (work, ...args) => {
    const parent = context.active()
    const span = safely(() => spanOfGeneration(args, parent))
    if (span === undefined) return snapshot(work, ...args)
    const inside = trace.setSpan(parent, span)
    const result = orFail(span, () => snapshot((...inner) => context.with(inside, () => work(...inner)), ...args))
    Promise.resolve(result)
      // The function streams its result: it has run once the entry is complete.
      .then((generated) => (generated as { pendingCacheResult?: unknown } | undefined)?.pendingCacheResult)
      .then(
        () => span.end(),
        () => fail(span),
      )
    return result
  }
  watched.add(traced)
  store.runInCleanSnapshot = traced
}

function spanOfGeneration(args: readonly unknown[], parent: Context): Span | undefined {
  const generation = args.find(isGeneration)
  if (generation === undefined || !isRecorded(parent)) return undefined
  const { functionId, skipPropagation } = generation
  const { name, source } = describe(functionId)
  const outcome: Outcome = skipPropagation === true ? "revalidation" : "miss"
  const attributes = { ...source, "sentry.op": "function", [OUTCOME]: outcome }
  return trace.getTracer("pagespan").startSpan(`generate ${name}`, { attributes }, parent)
}

function isGeneration(value: unknown): value is Generation {
  return typeof (value as Partial<Generation> | undefined)?.functionId === "string"
}

function describe(id: string): { readonly name: string; readonly source: Attributes } {
  const { name, number, file } = serverFunction(id)
  const place = number === undefined ? file : `${file}#${number}`
  return {
    name: name ?? place ?? "function",
    source: {
      ...(name === undefined ? {} : { [ATTR_CODE_FUNCTION_NAME]: name }),
      ...(file === undefined ? {} : { [ATTR_CODE_FILE_PATH]: file }),
    },
  }
}

const salt = randomBytes(16)

/** Stands for a key, which holds the arguments. Equal keys of one process have equal digests. */
function digestOf(key: string): string {
  return createHmac("sha256", salt).update(key).digest("hex").slice(0, 8)
}

function isRecorded(parent: Context): boolean {
  return trace.getSpan(parent)?.isRecording() === true
}

/** Runs `run`, and ends the span if that throws. */
function orFail<Result>(span: Span | undefined, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (span !== undefined) safely(() => fail(span))
    throw error
  }
}

function fail(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
