import type { Attributes } from "./attributes.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** Sentry's levels, the worst first. */
export const ERROR_LEVELS = ["fatal", "error", "warning", "info", "debug"] as const
export type ErrorLevel = (typeof ERROR_LEVELS)[number]

/** One frame of a stack as its SDK named it. Absent parts are empty text or `undefined`. */
export interface StackFrame {
  readonly function: string
  readonly module: string
  readonly file: string
  readonly line: number | undefined
  readonly column: number | undefined
  /** Whether it is the application's own code; `undefined` where the SDK did not say. */
  readonly inApp: boolean | undefined
  readonly before: readonly string[]
  readonly context: string
  readonly after: readonly string[]
}

/** How an exception was caught, as Sentry words it. */
export interface Mechanism {
  readonly type: string
  /** `undefined` where the SDK did not say. */
  readonly handled: boolean | undefined
}

export interface ExceptionRecord {
  readonly type: string
  readonly value: string
  readonly mechanism: Mechanism | undefined
  /** The caller first, the frame that threw last: Sentry's order. */
  readonly frames: readonly StackFrame[]
  /** The stack as text, where it came as text. */
  readonly stackText: string
}

/** What went wrong once, whatever protocol told it: a Sentry event, a span's exception event, or a log of an exception. */
export interface ErrorEvent {
  /** 32 hexadecimal digits. The same event told twice has the same one. */
  readonly eventId: string
  /** The issue that it belongs to: the same for equal fingerprints, 32 hexadecimal digits. */
  readonly issueId: string
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly level: ErrorLevel
  /** Type of the exception; empty for a message. */
  readonly type: string
  /** What the exception, or the message, says. */
  readonly value: string
  /** What was reported first, then its causes; at most `LINKED_ERROR_LIMIT`. Empty for a message. */
  readonly exceptions: readonly ExceptionRecord[]
  /** The route, job or function in which it happened. */
  readonly transaction: string
  readonly service: string
  readonly environment: string
  readonly release: string
  readonly tags: Attributes
  /** JSON text of a list, the oldest first; empty where there are none. */
  readonly breadcrumbs: string
  /** JSON text of Sentry's request interface; empty where there is none. */
  readonly request: string
  /** JSON text of whatever else was told: user, contexts, extra; empty where there is nothing. */
  readonly context: string
  /** What it is grouped by, in words. */
  readonly fingerprint: readonly string[]
  readonly source: SpanSource
}

/** The issue's headline: `TypeError: x is not a function`, or the message. */
export function errorTitle({ type, value }: Pick<ErrorEvent, "type" | "value">): string {
  if (type === "") return value
  return value === "" ? type : `${type}: ${value}`
}
