import type { Attributes, Span, Tracer } from "@opentelemetry/api"
import type { CurrentRoot } from "./current-root.ts"

interface ChildOptions {
  readonly tracer: Tracer
  readonly current: CurrentRoot
}

/**
 * Starts a span of the tracer's own below the root that was last open.
 *
 * @param startTime milliseconds since the epoch.
 * @param op Sentry's `sentry.op`.
 * @param origin Sentry's `sentry.origin`.
 */
export function startChild(
  { tracer, current }: ChildOptions,
  name: string,
  startTime: number,
  op: string,
  origin: string,
  more?: Attributes,
): Span {
  const attributes = { ...more, "sentry.op": op, "sentry.origin": origin }
  return tracer.startSpan(name, { startTime, attributes }, current.context)
}
