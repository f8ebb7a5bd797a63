import type { Attributes } from "./attributes.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** Sentry's levels, the worst first. */
export const ERROR_LEVELS = ["fatal", "error", "warning", "info", "debug"] as const
export type ErrorLevel = (typeof ERROR_LEVELS)[number]

/** One stack frame. Absent parts are empty strings or `undefined`. */
export interface StackFrame {
  readonly function: string
  readonly module: string
  readonly file: string
  readonly line: number | undefined
  readonly column: number | undefined
  /** Whether it is application code; `undefined` if the SDK did not say. */
  readonly inApp: boolean | undefined
  readonly before: readonly string[]
  readonly context: string
  readonly after: readonly string[]
}

/** Sentry's exception mechanism. */
export interface Mechanism {
  readonly type: string
  /** `undefined` if the SDK did not say. */
  readonly handled: boolean | undefined
}

export interface ExceptionRecord {
  readonly type: string
  readonly value: string
  readonly mechanism: Mechanism | undefined
  /** Outermost caller first, throwing frame last, as in Sentry. */
  readonly frames: readonly StackFrame[]
  /** The stack trace as text, if it was sent as text. */
  readonly stackText: string
}

/** One occurrence of an error: a Sentry event, an exception event of a span, or a log record of an exception. */
export interface ErrorEvent {
  /** 32 hexadecimal digits. A retried event has the same id. */
  readonly eventId: string
  /** The issue: 32 hexadecimal digits, equal for equal fingerprints. */
  readonly issueId: string
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly level: ErrorLevel
  /** Type of the exception; empty for a message. */
  readonly type: string
  /** The message of the exception, or the message itself. */
  readonly value: string
  /** The reported exception first, then its causes; at most `LINKED_ERROR_LIMIT`. Empty for a message. */
  readonly exceptions: readonly ExceptionRecord[]
  /** The route, job or function in which it happened. */
  readonly transaction: string
  readonly service: string
  readonly environment: string
  readonly release: string
  readonly tags: Attributes
  /** JSON array, oldest first; empty string if there are none. */
  readonly breadcrumbs: string
  /** JSON of Sentry's request interface; empty string if there is none. */
  readonly request: string
  /** JSON of user, contexts, extra and debug ids of scripts (`debug_meta`); empty string if there are none. */
  readonly context: string
  /** What it is grouped by. */
  readonly fingerprint: readonly string[]
  readonly source: SpanSource
}

/** Title of the issue: `TypeError: x is not a function`, or the message. */
export function errorTitle({ type, value }: Pick<ErrorEvent, "type" | "value">): string {
  if (type === "") return value
  return value === "" ? type : `${type}: ${value}`
}
