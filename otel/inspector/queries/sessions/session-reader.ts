import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { TraceError } from "../list/trace-reader.ts"
import type { Vital } from "../routes/route-reader.ts"

/** A page load, a navigation, or the earliest span of another trace of the session. */
export interface SessionView {
  readonly kind: "pageload" | "navigation" | "other"
  readonly traceId: TraceId
  readonly spanId: string
  readonly name: string
  readonly service: string
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
  readonly failed: boolean
  /** Milliseconds; of `cls` a score. */
  readonly vitals: Readonly<Partial<Record<Vital, number>>>
}

export interface SessionError extends TraceError {
  /** Empty when the event names no trace. */
  readonly traceId: string
}

export interface Session {
  readonly sessionId: string
  /** By time. */
  readonly views: readonly SessionView[]
  /** By time. */
  readonly errors: readonly SessionError[]
  /** Whether the session has more than is read. */
  readonly isCut: boolean
}

/** The store's queries about sessions. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface SessionReader {
  /** What one `session.id` did; `undefined` when no span or error has it. */
  readSession(sessionId: string): Promise<Session | undefined>
  /** The `session.id`s that spans of the trace have, at most two. */
  readSessionsOfTrace(traceId: TraceId): Promise<readonly string[]>
}
