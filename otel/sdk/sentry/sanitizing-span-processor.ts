import type { Context } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { safely } from "../../protocol/safely.ts"
import { sanitizeSpan } from "./sanitize-span.ts"

/**
 * Sanitizes every finished span and passes the same view to each processor. A processor that fails does not affect the
 * others.
 */
export class SanitizingSpanProcessor implements SpanProcessor {
  readonly #next: readonly SpanProcessor[]
  readonly #failed: () => void
  readonly #routeOf: (span: ReadableSpan) => string | undefined

  /**
   * @param failed called for each span on which a processor fails. The error does not reach the app.
   * @param routeOf the route of a finished span whose name lacks it. Default: of none.
   */
  constructor(
    next: readonly SpanProcessor[],
    failed: () => void,
    routeOf: (span: ReadableSpan) => string | undefined = () => undefined,
  ) {
    this.#next = next
    this.#failed = failed
    this.#routeOf = routeOf
  }

  onStart(span: Span, parentContext: Context): void {
    for (const processor of this.#next) this.#guard(() => processor.onStart(span, parentContext))
  }

  onEnd(span: ReadableSpan): void {
    this.#guard(() => {
      const view = sanitizeSpan(span, this.#routeOf(span))
      for (const processor of this.#next) this.#guard(() => processor.onEnd(view))
    })
  }

  /** Rejects with the first failure, after all processors have settled. */
  async forceFlush(): Promise<void> {
    await settle(this.#next.map((processor) => processor.forceFlush()))
  }

  async shutdown(): Promise<void> {
    await settle(this.#next.map((processor) => processor.shutdown()))
  }

  #guard(step: () => void): void {
    safely(step, () => this.#failed())
  }
}

async function settle(tasks: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(tasks)
  for (const result of results) if (result.status === "rejected") throw result.reason
}
