import type { Context, Span, SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { registrations } from "./registrations.ts"

/**
 * As much of OpenTelemetry's API as the page's tracer itself calls before the page is idle. It works with every copy of the
 * package, since its keys and the form of a context are the same. The package is 2.6 kB of the first load: it brings a logger,
 * proxies and no-ops for parts that are not registered.
 */

/** The keys of the package and of `@opentelemetry/core`. A test compares them. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN")
const SUPPRESSED = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING")

class PageContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.#values = values
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return new PageContext(new Map(this.#values).set(key, value))
  }

  deleteValue(key: symbol): Context {
    return new PageContext(new Map([...this.#values].filter(([known]) => known !== key)))
  }
}

export const ROOT_CONTEXT: Context = new PageContext(new Map())

export function activeContext(): Context {
  return registrations()?.context?.active() ?? ROOT_CONTEXT
}

export function spanOf(context: Context): Span | undefined {
  return context.getValue(SPAN) as Span | undefined
}

export function spanContextOf(context: Context): SpanContext | undefined {
  return spanOf(context)?.spanContext()
}

export function withSpan(context: Context, span: Pick<Span, "spanContext">): Context {
  return context.setValue(SPAN, span)
}

export function withoutSpan(context: Context): Context {
  return context.deleteValue(SPAN)
}

/** Whether the caller has excluded what happens in a context from tracing, by `suppressTracing` of `@opentelemetry/core`. */
export function isSuppressed(context: Context): boolean {
  return context.getValue(SUPPRESSED) === true
}

export function isValidContext({ traceId, spanId }: SpanContext): boolean {
  return /^(?!0+$)[\da-f]{32}$/i.test(traceId) && /^(?!0+$)[\da-f]{16}$/i.test(spanId)
}

// The package's enums would bring the package.
export const KIND_INTERNAL: SpanKind.INTERNAL = 0
export const KIND_CLIENT: SpanKind.CLIENT = 2
export const STATUS_UNSET: SpanStatusCode.UNSET = 0
export const STATUS_OK: SpanStatusCode.OK = 1
export const STATUS_ERROR: SpanStatusCode.ERROR = 2
