import type { SpanContext } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { routeOf } from "../routes/route-of-file.ts"
import { isLocalRoot } from "./span-facts.ts"

/** Most open roots. The oldest expires first: a root that never ends must not retain its children forever. */
const OPEN_ROOT_LIMIT = 1_000
/** Age at which an open root expires: twice the five minutes after which hosting platforms abort a request. */
const OPEN_ROOT_AGE_MS = 600_000
/** Most spans of one root that are tracked as parents. */
const MEMBER_LIMIT = 10_000

/** A root that has not been emitted, with the children that have ended so far. */
export interface OpenRoot {
  readonly root: ReadableSpan
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number
  /** Ids of the spans below this root. A new span finds its root by its parent's id. */
  readonly members: Set<string>
  readonly ended: ReadableSpan[]
  /** Route of the latest child that has one. Next sets it on the root itself only after the response. */
  route: string | undefined
  /** Children that ended after the buffer was full. */
  cut: number
}

/**
 * Tracks which spans belong to which open root of this process. Bounded in the number and age of roots and in the number of
 * spans; calls `onExpired` for a root that it evicts.
 */
export class OpenRoots {
  readonly #bySpan = new Map<string, OpenRoot>()
  readonly #roots = new Set<OpenRoot>()
  /** Roots that track no more spans, by trace, so that their further descendants are recognised. */
  readonly #full = new Map<string, OpenRoot>()
  readonly #refused = new WeakSet<SpanContext>()
  readonly #onExpired: (expired: OpenRoot) => void
  readonly #bufferLimit: number
  #buffered = 0

  /** @param bufferLimit most finished children that wait for their roots, over all roots. */
  constructor(onExpired: (expired: OpenRoot) => void, bufferLimit: number) {
    this.#onExpired = onExpired
    this.#bufferLimit = bufferLimit
  }

  start(span: ReadableSpan): void {
    if (isLocalRoot(span)) this.#add(span)
    else this.#join(span)
  }

  /** Whether the limits excluded this span when it started. */
  hasRefused(span: ReadableSpan): boolean {
    return this.#refused.has(span.spanContext())
  }

  /** The open root that a span belongs to; `undefined` once the root has been emitted. */
  of(spanId: string): OpenRoot | undefined {
    return this.#bySpan.get(spanId)
  }

  /** Buffers a finished child until its root is emitted. */
  buffer(open: OpenRoot, child: ReadableSpan): void {
    if (this.#buffered >= this.#bufferLimit) open.cut += 1
    else {
      open.ended.push(child)
      this.#buffered += 1
    }
  }

  close(open: OpenRoot): void {
    if (this.#roots.delete(open)) this.#buffered -= open.ended.length
    const { traceId } = open.root.spanContext()
    if (this.#full.get(traceId) === open) this.#full.delete(traceId)
    for (const spanId of open.members) this.#bySpan.delete(spanId)
  }

  all(): IterableIterator<OpenRoot> {
    return this.#roots.values()
  }

  #add(root: ReadableSpan): void {
    // Not the time of day, which can be set.
    const startedAt = performance.now()
    this.#expireOld(startedAt)
    const { spanId } = root.spanContext()
    const open = { root, startedAt, ended: [], cut: 0, route: undefined, members: new Set([spanId]) }
    this.#roots.add(open)
    this.#bySpan.set(spanId, open)
  }

  /** The set is in start order, so only its front can be too old. */
  #expireOld(now: number): void {
    for (const oldest of this.#roots) {
      if (this.#roots.size < OPEN_ROOT_LIMIT && now - oldest.startedAt < OPEN_ROOT_AGE_MS) return
      this.close(oldest)
      this.#onExpired(oldest)
    }
  }

  #join(span: ReadableSpan): void {
    const child = span.spanContext()
    const open = this.#bySpan.get(span.parentSpanContext?.spanId ?? "")
    // Another root of the trace, such as the next request of a page, has room of its own.
    const isFull = open === undefined ? this.#full.has(child.traceId) : open.members.size >= MEMBER_LIMIT
    if (isFull) {
      this.#refused.add(child)
      if (open !== undefined) this.#full.set(child.traceId, open)
      return
    }
    if (open === undefined) return
    open.members.add(child.spanId)
    this.#bySpan.set(child.spanId, open)
    const route = span.attributes["next.route"]
    if (typeof route === "string") open.route = routeOf(route)
  }
}
