import type { Exception } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { safely } from "../../../protocol/safely.ts"

/** How an error was caught: Sentry's `mechanism`. */
export interface ErrorMechanism {
  readonly type:
    | "auto.browser.global_handlers.onerror"
    | "auto.browser.global_handlers.onunhandledrejection"
    | "auto.react.error_boundary"
  readonly handled: boolean
}

/** Position of a script error without an error object, as in a stack frame of Sentry. */
export interface ScriptPosition {
  readonly filename: string
  readonly lineno: number
  readonly colno: number
}

/** An error of the page with its time and span, until the Sentry client is loaded. */
export interface PageError {
  readonly thrown: unknown
  /** For a span of its own. `undefined` if the active span has recorded it: an ended one records nothing. */
  readonly exception: Exception | undefined
  readonly message: string
  readonly position: ScriptPosition | undefined
  readonly mechanism: ErrorMechanism
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly span: ReadableSpan | undefined
  /** Whether the app's own Sentry client sends it. Absent otherwise. */
  readonly isTaken?: boolean | undefined
  /** The page's root at that time, which names the route. The active span may be one of the app. */
  readonly root: ReadableSpan | undefined
}

export type ErrorListener = (
  thrown: unknown,
  message: string,
  mechanism: ErrorMechanism,
  position?: ScriptPosition,
) => void

/** Listens for uncaught errors and rejections. It does not change how the browser handles them. */
export function watchErrors(onSeen: ErrorListener, signal: AbortSignal): void {
  // A thrown proxy or getter may throw. An error of ours in here would be caught by these listeners again.
  const listener: ErrorListener = (...error) => safely(() => onSeen(...error))
  const onError = (event: ErrorEvent) => {
    // A resource that fails to load fires an event of the same name, which is no `ErrorEvent`.
    if (!(event instanceof ErrorEvent)) return
    const { error, message, filename, lineno, colno } = event
    // A script of another origin provides no error object.
    const position = error === null || error === undefined ? { filename, lineno, colno } : undefined
    listener(error, message, { type: "auto.browser.global_handlers.onerror", handled: false }, position)
  }
  const onRejection = ({ reason }: PromiseRejectionEvent) =>
    listener(reason, "", { type: "auto.browser.global_handlers.onunhandledrejection", handled: false })
  window.addEventListener("error", onError, { signal })
  window.addEventListener("unhandledrejection", onRejection, { signal })
}
