import type { Attributes, SpanContext } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/** A root of this process: it has no parent, or its parent is in another process. */
export function isLocalRoot(span: ReadableSpan): boolean {
  return span.parentSpanContext === undefined || span.parentSpanContext.isRemote === true
}

/**
 * Whether a root is the run of `proxy.ts` before a page: Next makes a request of its own for it, leaves that without route
 * and name, and marks it. The page is the root after it.
 */
export function isProxyRun(attributes: Attributes): boolean {
  return attributes["next.bubble"] === true && attributes["next.span_type"] === "BaseServer.handleRequest"
}

/** Roots open at once; the oldest is given up past this many: one that never ends must not hold its children for ever. */
const OPEN_ROOT_LIMIT = 1_000
/** Age past which a root will not end any more. Twice the five minutes after which hosts cut a request. */
const OPEN_ROOT_AGE_MS = 600_000
/** Spans of one root that others may still be born under. */
const MEMBER_LIMIT = 10_000

/** A root that has not been handed on yet, with the children that have ended so far. */
export interface OpenRoot {
  readonly root: ReadableSpan
  readonly startedAt: number
  /** Ids of the spans under this root, by which their own children find it. */
  readonly members: Set<string>
  readonly ended: ReadableSpan[]
  /** Route that the latest child to know one was for. Next tells the root itself only when the request is answered. */
  route: string | undefined
  /** Children that ended and were left out, because too many wait already. */
  cut: number
}

/**
 * Which spans of this process belong to which of its roots. Bounded in roots, in their age, and in what each holds;
 * a root that is given up is told to `onGivenUp`.
 */
export class OpenRoots {
  readonly #bySpan = new Map<string, OpenRoot>()
  readonly #roots = new Set<OpenRoot>()
  /** Roots that may have no more members, by their trace, so that what is born further down is known as theirs. */
  readonly #full = new Map<string, OpenRoot>()
  readonly #refused = new WeakSet<SpanContext>()
  readonly #onGivenUp: (abandoned: OpenRoot) => void
  readonly #keptLimit: number
  #kept = 0

  /** @param keptLimit finished children that may wait for their roots, over all roots. */
  constructor(onGivenUp: (abandoned: OpenRoot) => void, keptLimit: number) {
    this.#onGivenUp = onGivenUp
    this.#keptLimit = keptLimit
  }

  start(span: ReadableSpan): void {
    if (isLocalRoot(span)) this.#add(span)
    else this.#join(span)
  }

  /** Whether there was no room for this span when it started. */
  hasRefused(span: ReadableSpan): boolean {
    return this.#refused.has(span.spanContext())
  }

  /** The root that a span of this process belongs to, as long as it has not been handed on. */
  of(spanId: string): OpenRoot | undefined {
    return this.#bySpan.get(spanId)
  }

  /** Keeps a finished child until its root is handed on. */
  keep(open: OpenRoot, child: ReadableSpan): void {
    if (this.#kept >= this.#keptLimit) open.cut += 1
    else {
      open.ended.push(child)
      this.#kept += 1
    }
  }

  close(open: OpenRoot): void {
    if (this.#roots.delete(open)) this.#kept -= open.ended.length
    this.#full.delete(open.root.spanContext().traceId)
    for (const spanId of open.members) this.#bySpan.delete(spanId)
  }

  all(): IterableIterator<OpenRoot> {
    return this.#roots.values()
  }

  #add(root: ReadableSpan): void {
    const startedAt = Date.now()
    this.#giveUpOld(startedAt)
    const { spanId } = root.spanContext()
    const open = { root, startedAt, ended: [], cut: 0, route: undefined, members: new Set([spanId]) }
    this.#roots.add(open)
    this.#bySpan.set(spanId, open)
  }

  /** The set is in the order of starting, so that only its front can be too old. */
  #giveUpOld(now: number): void {
    for (const oldest of this.#roots) {
      if (this.#roots.size < OPEN_ROOT_LIMIT && now - oldest.startedAt < OPEN_ROOT_AGE_MS) return
      this.close(oldest)
      this.#onGivenUp(oldest)
    }
  }

  #join(span: ReadableSpan): void {
    const child = span.spanContext()
    const open = this.#bySpan.get(span.parentSpanContext?.spanId ?? "")
    if (this.#full.has(child.traceId) || (open !== undefined && open.members.size >= MEMBER_LIMIT)) {
      this.#refused.add(child)
      if (open !== undefined) this.#full.set(child.traceId, open)
      return
    }
    if (open === undefined) return
    open.members.add(child.spanId)
    this.#bySpan.set(child.spanId, open)
    const route = span.attributes["next.route"]
    if (typeof route === "string") open.route = route
  }
}
