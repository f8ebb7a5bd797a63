import { type Attributes, type Context, type Span, trace } from "@opentelemetry/api"
import type { ReadableSpan, Span as StartedSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { processState } from "../../process-state.ts"
import { ERROR_DIGEST } from "../../sentry/error-digest.ts"

/** Failed steps that are remembered for a span: the newest. A request has one or two, unless the app catches their errors. */
const STEP_LIMIT = 20

interface Steps {
  /** The span that Next was in when it began a step, by the step's span. */
  readonly parents: WeakMap<object, Span>
  /** Ended steps that recorded an exception, by each span of Next that they are below. */
  readonly failed: WeakMap<object, ReadableSpan[]>
}

const state = processState<Steps>("next-steps")

function steps(): Steps {
  return (state.value ??= { parents: new WeakMap(), failed: new WeakMap() })
}

/** Follows the steps of a request, which are Next's own spans, and which of them recorded an exception. */
export class FailedSteps implements SpanProcessor {
  onStart(span: StartedSpan, parentContext: Context): void {
    const parent = trace.getSpan(parentContext)
    if (parent?.isRecording() === true && span.attributes["next.span_type"] !== undefined)
      steps().parents.set(span, parent)
  }

  onEnd(span: ReadableSpan): void {
    if (!span.events.some(({ name }) => name === "exception")) return
    const { parents, failed } = steps()
    for (let above = parents.get(span); above !== undefined; above = parents.get(above))
      failed.set(above, [...(failed.get(above) ?? []), span].slice(-STEP_LIMIT))
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/**
 * The active span, or the nearest one above it that has not ended. Next 15 ends the span of a render when the page's shell is
 * ready, while a component that streams later may still fail.
 */
export function openSpan(): Span | undefined {
  const active = trace.getActiveSpan()
  const { parents } = steps()
  for (let span = active; span !== undefined; span = parents.get(span)) if (span.isRecording()) return span
  return active
}

/** The ended step below a span on which Next has recorded this error, such as the run of a route handler. */
export function failedStep(span: Span, error: Error): Span | undefined {
  const step = steps()
    .failed.get(span)
    ?.findLast((each) => recordedEvent(each, error) !== undefined)
  return step as (ReadableSpan & Span) | undefined
}

/** The attributes of the event with which Next has recorded this error. The span's limits may have cut its texts. */
export function recordedEvent({ events = [] }: Partial<ReadableSpan>, error: Error): Attributes | undefined {
  const { message, stack = "" } = error
  return events.findLast(({ name, attributes = {} }) => {
    if (name !== "exception" || attributes[ERROR_DIGEST] !== undefined) return false
    const recorded = String(attributes["exception.stacktrace"] ?? "")
    return (
      recorded !== "" && stack.startsWith(recorded) && message.startsWith(String(attributes["exception.message"] ?? ""))
    )
  })?.attributes
}
