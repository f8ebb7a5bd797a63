import { type Context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { isVital, SEGMENT_NAME } from "../../sentry/span-facts.ts"
import type { EndReason } from "./idle-rule.ts"
import type { PageRoot } from "./page-root.ts"
import { ATTR_POLLING, ATTR_PREFETCH } from "./semconv.ts"

/** Roots that a late record, like a web vital, can still be put on; older ones are forgotten. */
const REMEMBERED_ROOTS = 32

/**
 * The page's current root. An ended one stays the page's trace until the next begins, so that a late error or request
 * still belongs to the page that the visitor sees.
 */
export class CurrentRoot implements SpanProcessor {
  readonly #recent: PageRoot[] = []
  /** Requests on their way that started after their root had ended. */
  readonly #late = new Set<Span>()
  #context: Context = ROOT_CONTEXT

  /** The context that code without one of its own runs in: the current root's, open or ended. */
  get context(): Context {
    return this.#context
  }

  get root(): PageRoot | undefined {
    return this.#recent.at(-1)
  }

  get open(): PageRoot | undefined {
    const root = this.root
    return root?.ended === false ? root : undefined
  }

  /** The root that was the page's at a moment, in milliseconds since the epoch. */
  at(time: number): PageRoot | undefined {
    return this.#recent.findLast((root) => root.startedAt <= time) ?? this.#recent[0]
  }

  /** Makes a new root the page's; one that is still open is superseded. */
  become(root: PageRoot): void {
    this.open?.end("superseded")
    this.#recent.push(root)
    if (this.#recent.length > REMEMBERED_ROOTS) this.#recent.shift()
    this.#context = trace.setSpan(ROOT_CONTEXT, root.span)
  }

  /** Ends the open root, and what is still on its way from before. @param at milliseconds since the epoch. */
  end(reason: EndReason, at: number): void {
    this.open?.end(reason)
    for (const span of this.#late) {
      span.setAttribute("pagespan.end_reason", reason)
      span.end(at)
    }
  }

  onStart(span: Span & ReadableSpan): void {
    if (SEGMENT_NAME in span.attributes) this.#late.add(span)
    const root = this.open
    const isChild = span.spanContext().traceId === root?.span.spanContext().traceId
    // A web vital tells of what has happened: nobody waits for the telling.
    if (!isChild || isVital(span)) return
    root?.childStarted(span, span.attributes[ATTR_PREFETCH] !== true && span.attributes[ATTR_POLLING] !== true)
  }

  onEnd(span: Span & ReadableSpan): void {
    this.#late.delete(span)
    this.open?.childEnded(span)
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    this.open?.end("page_left")
  }
}
