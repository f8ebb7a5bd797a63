import type { SpanId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"

/** The ids of a trace's spans and of the parents that they name, while its spans arrive in several batches. */
export class ArrivedSpans {
  readonly #spans = new Set<SpanId>()
  readonly #missing = new Set<SpanId>()

  constructor(spans: readonly SpanRecord[] = []) {
    this.add(spans)
  }

  add(spans: readonly SpanRecord[]): void {
    for (const { spanId, parentSpanId } of spans) {
      this.#spans.add(spanId)
      this.#missing.delete(spanId)
      if (parentSpanId !== undefined && !this.#spans.has(parentSpanId)) this.#missing.add(parentSpanId)
    }
  }

  /** Whether a span names a parent that has not arrived. */
  get isParentMissing(): boolean {
    return this.#missing.size > 0
  }

  /** Ids held. */
  get size(): number {
    return this.#spans.size + this.#missing.size
  }
}
