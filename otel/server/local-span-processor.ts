import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { localInspector } from "./local-inspector.ts"
import { toSpanRecord } from "./span-record.ts"

const FLUSH_MS = 100
const BATCH_LIMIT = 512

/** Hands finished spans to the inspector in this process, a few at a time. Costs nothing where there is none. */
export class LocalSpanProcessor implements SpanProcessor {
  #waiting: ReadableSpan[] = []
  #timer: NodeJS.Timeout | undefined

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (localInspector() === undefined) return
    this.#waiting.push(span)
    if (this.#waiting.length >= BATCH_LIMIT) this.#handOver()
    else this.#timer ??= setTimeout(() => this.#handOver(), FLUSH_MS).unref()
  }

  async forceFlush(): Promise<void> {
    this.#handOver()
  }

  async shutdown(): Promise<void> {
    this.#handOver()
  }

  #handOver(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const spans = this.#waiting
    this.#waiting = []
    if (spans.length > 0) void localInspector()?.spans(spans.map(toSpanRecord))
  }
}
