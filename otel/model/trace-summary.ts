import type { TraceId } from "./ids.ts"
import type { SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** One line of the trace list. */
export interface TraceSummary {
  readonly traceId: TraceId
  /** Name of the root span; where the root has not arrived, of the earliest span. */
  readonly name: string
  /** Its root has not arrived, so that its earliest span names it. */
  readonly isProvisional: boolean
  /** Distinct `service.name`s, the root's first. */
  readonly services: readonly string[]
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly spanCount: number
  readonly errorCount: number
  readonly sources: readonly SpanSource[]
}

/** A page of the trace list. */
export interface TraceList {
  readonly traces: readonly TraceSummary[]
  /** Opaque cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}
