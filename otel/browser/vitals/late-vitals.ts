import type { Context, Span } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"

/**
 * Keeps vitals that settle after their root from the bridge, where each would become a transaction of its own, three
 * for every page. Sentry gets as `measurements` of the pageload what is known at its end; OTLP gets all of them.
 */
export class LateVitals implements SpanProcessor {
  readonly #bridge: SpanProcessor

  constructor(bridge: SpanProcessor) {
    this.#bridge = bridge
  }

  onStart(span: Span & ReadableSpan, parent: Context): void {
    if (!isVital(span)) this.#bridge.onStart(span as Parameters<SpanProcessor["onStart"]>[0], parent)
  }

  onEnd(span: ReadableSpan): void {
    if (!isVital(span)) this.#bridge.onEnd(span)
  }

  forceFlush(): Promise<void> {
    return this.#bridge.forceFlush()
  }

  shutdown(): Promise<void> {
    return this.#bridge.shutdown()
  }
}

function isVital({ name }: ReadableSpan): boolean {
  return name.startsWith("browser.web_vital.")
}
