import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { isLocalRoot } from "../sentry/local-root.ts"
import { isSampled } from "../sentry/sampling.ts"
import { countLoss } from "./losses.ts"

/** Counts what is sampled out where no bridge to Sentry does so. */
export class SampledOutSpans implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (isSampled(span)) return
    if (isLocalRoot(span)) countLoss("server", "sample_rate", "transaction", 1, span.name)
    countLoss("server", "sample_rate", "span", 1, span.name)
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
