import type { TraceId } from "./ids.ts"
import type { SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** One line of the trace list. */
export interface TraceSummary {
  readonly traceId: TraceId
  /** Name of the root span; where the root has not arrived, of the earliest span. */
  readonly name: string
  /** Distinct `service.name`s, the root's first. */
  readonly services: readonly string[]
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly spanCount: number
  readonly errorCount: number
  readonly sources: readonly SpanSource[]
}

/** A page of the trace list, newest first. */
export interface TraceList {
  readonly traces: readonly TraceSummary[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

export interface TraceListQuery {
  /** At most this many traces. */
  readonly limit: number
  /** Cursor from a previous answer's `next`. */
  readonly after?: string | undefined
  /** Only traces that a span of this service belongs to. */
  readonly service?: string | undefined
  /** Only traces that began at or after this time. */
  readonly since?: Nanoseconds | undefined
}
