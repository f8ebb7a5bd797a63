import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { safely } from "../../protocol/safely.ts"

/**
 * Delivery on a host that stops the process when a request is done, like Vercel, Netlify or AWS Lambda. Such a host runs each
 * request in a context whose `waitUntil` keeps the process running until a promise has settled. Everything here does nothing
 * where there is no such context: a process that keeps running delivers in its own time.
 */

/** Where hosts put the context of the current request: Next's name for it, which OpenNext and Netlify use too, and Vercel's. */
const HOST_CONTEXTS = [Symbol.for("@next/request-context"), Symbol.for("@vercel/request-context")]

interface RequestContext {
  waitUntil?(work: Promise<void>): void
}

/** Longest time for which a request's data holds the process. The tunnel waits as long for Sentry. */
export const DELIVERY_LIMIT_MS = 5_000
/** Time after which an unfinished request no longer holds the process: hosts abort a request after at most five minutes. */
const REQUEST_LIMIT_MS = 300_000
/** Most open spans that are tracked. Spans beyond are delivered with the next request. */
const OPEN_SPAN_LIMIT = 10_000

function hostContext(): RequestContext | undefined {
  const globals = globalThis as { [name: symbol]: { get?(): RequestContext | undefined } | undefined }
  for (const name of HOST_CONTEXTS) {
    const context = globals[name]?.get?.()
    if (typeof context?.waitUntil === "function") return context
  }
  return undefined
}

/** Passes a promise to the host of the current request. @returns whether there is a host that waits for it. */
function waitUntil(work: () => Promise<void>): boolean {
  return safely(
    () => {
      const context = hostContext()
      context?.waitUntil?.(work())
      return context !== undefined
    },
    () => false,
  )
}

/** Has the host of the current request wait for a delivery, for at most five seconds. Starts it only if there is such a host. */
export function holdRequest(deliver: () => Promise<unknown>): void {
  waitUntil(() => settled(deliver(), DELIVERY_LIMIT_MS))
}

/** Resolves when the work has ended, in whatever way, or when the time is over. */
export async function settled(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
    timer.unref()
  })
  await Promise.race([work.then(noop, noop), timeout])
  clearTimeout(timer)
}

function noop(): void {}

/** The open spans of one request, and what to do when all have ended. */
interface RequestWork {
  readonly rootId: string
  readonly open: Set<string>
  timer: NodeJS.Timeout | undefined
  /** Ends the wait and lets the host stop the process once all is delivered. `undefined` once called. */
  finish: (() => void) | undefined
}

interface RequestDeliveryOptions {
  /** Delivers what is buffered, with the root of this id. */
  readonly deliver: (rootId: string) => Promise<unknown>
  /** Milliseconds for which an ended root waits for children that have not ended. */
  readonly graceMs: number
}

/**
 * Delivers the spans of a request when the last of them has ended, and has the host wait for it from the start of the first.
 * Must come after the processors that buffer spans.
 */
export class RequestDelivery implements SpanProcessor {
  readonly #options: RequestDeliveryOptions
  readonly #bySpan = new Map<string, RequestWork>()

  constructor(options: RequestDeliveryOptions) {
    this.#options = options
  }

  onStart(span: ReadableSpan): void {
    const { spanId } = span.spanContext()
    const work = this.#bySpan.get(span.parentSpanContext?.spanId ?? "") ?? this.#begin(spanId)
    if (work === undefined) return
    work.open.add(spanId)
    this.#bySpan.set(spanId, work)
  }

  onEnd(span: ReadableSpan): void {
    const { spanId } = span.spanContext()
    const work = this.#bySpan.get(spanId)
    if (work === undefined) return
    this.#bySpan.delete(spanId)
    work.open.delete(spanId)
    // A span that ends after the wait is delivered by itself.
    if (work.finish === undefined) holdRequest(() => this.#options.deliver(spanId))
    else if (work.open.size === 0) work.finish()
    else if (spanId === work.rootId) this.#finishAfter(work, this.#options.graceMs)
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  /** @returns `undefined` where no host waits. */
  #begin(rootId: string): RequestWork | undefined {
    if (this.#bySpan.size >= OPEN_SPAN_LIMIT) this.#forgetFinished()
    if (this.#bySpan.size >= OPEN_SPAN_LIMIT) return undefined
    const work: RequestWork = { rootId, open: new Set(), timer: undefined, finish: undefined }
    const isHeld = waitUntil(() => {
      const ended = new Promise<void>((resolve) => {
        work.finish = () => {
          clearTimeout(work.timer)
          work.finish = undefined
          resolve()
        }
      })
      return ended.then(() => settled(this.#options.deliver(rootId), DELIVERY_LIMIT_MS))
    })
    if (!isHeld) return undefined
    this.#finishAfter(work, REQUEST_LIMIT_MS)
    return work
  }

  /** Forgets the spans of requests whose wait is over, which may never end. */
  #forgetFinished(): void {
    for (const [spanId, { finish }] of this.#bySpan) if (finish === undefined) this.#bySpan.delete(spanId)
  }

  #finishAfter(work: RequestWork, milliseconds: number): void {
    clearTimeout(work.timer)
    work.timer = setTimeout(() => work.finish?.(), milliseconds)
    work.timer.unref()
  }
}
