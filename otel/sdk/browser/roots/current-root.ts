import type { Context, Span } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { isVital, SEGMENT_NAME } from "../../sentry/span-facts.ts"
import { activeContext, ROOT_CONTEXT, spanOf, withSpan } from "../api/contexts.ts"
import { currentOrigin } from "../clock.ts"
import type { SpanListener } from "../recorder/recorder.ts"
import { ATTR_DOCUMENT_URL, ATTR_POLLING, ATTR_PREFETCH } from "../semconv.ts"
import type { EndReason, PageRoot } from "./page-root.ts"
import { SecretPath } from "./secret-path.ts"

/** Roots that a late web vital can still belong to; older ones are forgotten. */
const REMEMBERED_ROOTS = 32

/**
 * The page's current root. After it has ended, its trace stays current until the next root begins, so that a late error or
 * request belongs to the page that the visitor sees.
 */
export class CurrentRoot implements SpanListener {
  /** Set where a route of the app has secrets. Only declared: a field would be part of every page. */
  declare secretPath?: SecretPath
  readonly #recent: PageRoot[] = []
  /** Requests in flight that started after their root had ended, and the clock's origin at that time. */
  readonly #late = new Map<Span, number>()

  /** The context of code that has none of its own: the current root's, open or ended. */
  get context(): Context {
    return this.active(ROOT_CONTEXT)
  }

  /** A context with the span of the current root, unless it has one. The active context of another SDK may have none. */
  active(context: Context = activeContext()): Context {
    return this.root && !spanOf(context) ? withSpan(context, this.root.span) : context
  }

  get root(): PageRoot | undefined {
    return this.#recent.at(-1)
  }

  get traceId(): string | undefined {
    return this.root?.span.spanContext().traceId
  }

  get open(): PageRoot | undefined {
    return this.root?.ended ? undefined : this.root
  }

  /** The root that was current at a time, in milliseconds since the epoch. */
  at(time: number): PageRoot | undefined {
    return this.#recent.findLast((root) => root.startedAt <= time) ?? this.#recent[0]
  }

  /** Makes a root the current one. The one before it has ended. */
  become(root: PageRoot): void {
    this.#recent.push(root)
    if (this.#recent.length > REMEMBERED_ROOTS) this.#recent.shift()
    if (typeof __PAGESPAN_SECRET_PATHS__ !== "undefined" && __PAGESPAN_SECRET_PATHS__)
      (this.secretPath ??= new SecretPath()).begin(root.span)
  }

  /** Ends the open root and all late requests. @param at milliseconds since the epoch. */
  end(reason: EndReason, at: number): void {
    this.open?.end(reason)
    for (const [span, origin] of this.#late)
      span.setAttribute("pagespan.end_reason", reason).end(at - currentOrigin() + origin)
  }

  onStart(span: Span & ReadableSpan): void {
    if (SEGMENT_NAME in span.attributes) this.#late.set(span, currentOrigin())
    // A late web vital says itself to which page it belongs, and a root with its name.
    const url = this.root?.span.attributes[ATTR_DOCUMENT_URL]
    if (url && !(ATTR_DOCUMENT_URL in span.attributes)) span.setAttribute(ATTR_DOCUMENT_URL, url)
    if (typeof __PAGESPAN_SECRET_PATHS__ !== "undefined" && __PAGESPAN_SECRET_PATHS__) this.secretPath?.started(span)
    // A web vital reports the past: no root waits for it.
    if (span.spanContext().traceId !== this.traceId || isVital(span)) return
    this.open?.childStarted(span, span.attributes[ATTR_PREFETCH] !== true && span.attributes[ATTR_POLLING] !== true)
  }

  onEnd(span: Span & ReadableSpan): void {
    this.#late.delete(span)
    this.open?.childEnded(span)
  }
}
