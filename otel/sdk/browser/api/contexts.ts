import type { Context, Span, SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { isValidContext } from "../../valid-context.ts"
import { registrations } from "./registrations.ts"

/**
 * As much of OpenTelemetry's API as the page's tracer itself calls before the page is idle. It works with every copy of the
 * package, since its keys and the form of a context are the same. The package is 2.6 kB of the first load: it brings a logger,
 * proxies and no-ops for parts that are not registered.
 */

/** The keys of the package and of `@opentelemetry/core`. A test compares them. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN")
const SUPPRESSED = Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING")

function contextOf(values: ReadonlyMap<symbol, unknown>): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map(values).set(key, value)),
    deleteValue: (key) => contextOf(new Map([...values].filter(([known]) => known !== key))),
  }
}

export const ROOT_CONTEXT = contextOf(new Map())

export function activeContext(): Context {
  return registrations()?.context?.active() ?? ROOT_CONTEXT
}

export function spanOf(context: Context): Span | undefined {
  return context.getValue(SPAN) as Span | undefined
}

/** The ids of a context's span. Invalid ones are none: what starts there begins a trace. */
export function spanContextOf(context: Context): SpanContext | undefined {
  const ids = spanOf(context)?.spanContext()
  return ids && isValidContext(ids) ? ids : undefined
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

// The package's enums would bring the package.
export const KIND_INTERNAL: SpanKind.INTERNAL = 0
export const KIND_CLIENT: SpanKind.CLIENT = 2
export const STATUS_UNSET: SpanStatusCode.UNSET = 0
export const STATUS_OK: SpanStatusCode.OK = 1
export const STATUS_ERROR: SpanStatusCode.ERROR = 2
