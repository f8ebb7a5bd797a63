import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { warnOnce } from "../warnings.ts"
import type { WorkStores } from "./work-stores.ts"

/**
 * Names in development a tracer whose spans end prerenders. With Cache Components, Next prepares the tracer provider that is
 * registered when `register()` of `instrumentation.ts` resolves: its tracers create spans outside of the render. Any other
 * tracer reads the clock and random numbers within the render, which Next takes for dynamic values.
 */
export class PrerenderCheck implements SpanProcessor {
  readonly #units: WorkStores["units"]

  constructor({ units }: WorkStores) {
    this.#units = units
  }

  onStart(span: Span): void {
    if (this.#units.getStore() === undefined) return
    const { name = "?" } = (span as unknown as Partial<ReadableSpan>).instrumentationScope ?? {}
    warnOnce(
      "prerenders",
      `the tracer ${JSON.stringify(name)} creates spans within renders, and with Cache Components each of them can abort a prerender: ` +
        `set OpenTelemetry up in register() of instrumentation.ts, await it there, and get tracers from trace.getTracer()`,
    )
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
