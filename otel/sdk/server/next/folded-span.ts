import type {
  Attributes,
  Context,
  Exception,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  Tracer,
} from "@opentelemetry/api"
import { SpanStatusCode } from "@opentelemetry/api"

/** Types of Next's spans that load Next's own code and the app's modules, which happens before or beside the work itself. */
const LOADING = /^(?:LoadComponents|Instrumentation|RouteModule|AppRouteRouteModule)\./
/** Milliseconds from which such a span is recorded: as long as what a browser reports as a long task. */
const SLOW_MS = 50

/** Whether Next's span is folded into its parent. Next's own switch for more spans records all of them. */
export function isFolded(attributes: Attributes | undefined): boolean {
  const type = attributes?.["next.span_type"]
  return typeof type === "string" && LOADING.test(type) && process.env["NEXT_OTEL_VERBOSE"] !== "1"
}

/**
 * Stands for a span that is not recorded unless it takes long or fails. It is never active, so that spans below it become
 * children of its parent.
 */
export class FoldedSpan implements Span {
  readonly #tracer: Tracer
  readonly #name: string
  readonly #options: SpanOptions
  readonly #parent: Context
  readonly #spanContext: SpanContext
  readonly #startedAt = now()
  readonly #calls: ((span: Span) => void)[] = []
  #hasFailed = false
  #foundNoPage = false
  #hasEnded = false

  /** @param above the active span, whose context this one shows. */
  constructor(tracer: Tracer, name: string, options: SpanOptions, parent: Context, above: Span) {
    this.#tracer = tracer
    this.#name = name
    this.#options = options
    this.#parent = parent
    this.#spanContext = above.spanContext()
  }

  spanContext(): SpanContext {
    return this.#spanContext
  }

  setAttribute(...args: Parameters<Span["setAttribute"]>): this {
    return this.#note((span) => span.setAttribute(...args))
  }

  setAttributes(attributes: Attributes): this {
    return this.#note((span) => span.setAttributes(attributes))
  }

  addEvent(...args: Parameters<Span["addEvent"]>): this {
    return this.#note((span) => span.addEvent(...args))
  }

  addLink(...args: Parameters<Span["addLink"]>): this {
    return this.#note((span) => span.addLink(...args))
  }

  addLinks(...args: Parameters<Span["addLinks"]>): this {
    return this.#note((span) => span.addLinks(...args))
  }

  setStatus(status: SpanStatus): this {
    this.#hasFailed ||= status.code === SpanStatusCode.ERROR && !this.#foundNoPage
    return this.#note((span) => span.setStatus(status))
  }

  updateName(name: string): this {
    return this.#note((span) => span.updateName(name))
  }

  recordException(exception: Exception, time?: Parameters<Span["recordException"]>[1]): void {
    this.#foundNoPage ||= isMissingPage(exception)
    this.#hasFailed ||= !this.#foundNoPage
    this.#note((span) => span.recordException(exception, time))
  }

  isRecording(): boolean {
    return !this.#hasEnded
  }

  end(endTime?: Parameters<Span["end"]>[0]): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (!this.#hasFailed && now() - this.#startedAt < SLOW_MS) return
    const span = this.#tracer.startSpan(this.#name, { startTime: this.#startedAt, ...this.#options }, this.#parent)
    for (const call of this.#calls) call(span)
    span.end(endTime ?? now())
  }

  #note(call: (span: Span) => void): this {
    if (!this.#hasEnded) this.#calls.push(call)
    return this
  }
}

/** Next looks for pages that an app may have, such as `/500`, and goes on without: no failure. */
function isMissingPage(exception: Exception): boolean {
  return typeof exception === "object" && exception.name === "PageNotFoundError"
}

/** Not `Date.now()`: Next takes that for a dynamic value, and ends a prerender that reads it. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
