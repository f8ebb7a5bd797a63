import type { Context } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { sanitizeSpan } from "./sanitize-span.ts"

/**
 * The one gate through which spans leave: every processor behind it is given the same outgoing span, and a processor
 * that fails cannot keep the others from theirs.
 */
export class SanitizingSpanProcessor implements SpanProcessor {
  readonly #next: readonly SpanProcessor[]
  readonly #failed: () => void

  /** @param failed told for each span that a processor failed on: the app's own code must not see that error. */
  constructor(next: readonly SpanProcessor[], failed: () => void) {
    this.#next = next
    this.#failed = failed
  }

  onStart(span: Span, parentContext: Context): void {
    for (const processor of this.#next) this.#guard(() => processor.onStart(span, parentContext))
  }

  onEnd(span: ReadableSpan): void {
    this.#guard(() => {
      const view = sanitizeSpan(span)
      for (const processor of this.#next) this.#guard(() => processor.onEnd(view))
    })
  }

  /** Rejects as the first that failed, after all have been asked. */
  async forceFlush(): Promise<void> {
    await settle(this.#next.map((processor) => processor.forceFlush()))
  }

  async shutdown(): Promise<void> {
    await settle(this.#next.map((processor) => processor.shutdown()))
  }

  #guard(step: () => void): void {
    try {
      step()
    } catch {
      this.#failed()
    }
  }
}

async function settle(tasks: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(tasks)
  for (const result of results) if (result.status === "rejected") throw result.reason
}
