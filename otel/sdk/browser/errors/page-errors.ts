import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { safely } from "../../safely.ts"

/** How an error came to be seen, as Sentry's `mechanism` tells it. */
export interface ErrorMechanism {
  readonly type:
    | "auto.browser.global_handlers.onerror"
    | "auto.browser.global_handlers.onunhandledrejection"
    | "auto.react.error_boundary"
  readonly handled: boolean
}

/** Where a script error without an error object happened, as Sentry's stack frames name it. */
export interface ScriptPosition {
  readonly filename: string
  readonly lineno: number
  readonly colno: number
}

/** An error of the page, kept with its own time and span until the Sentry client is there. */
export interface PageError {
  readonly thrown: unknown
  readonly message: string
  readonly position: ScriptPosition | undefined
  readonly mechanism: ErrorMechanism
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly span: ReadableSpan | undefined
  /** The page's root at that moment, whose name is the route: its own span may be the app's. */
  readonly root: ReadableSpan | undefined
}

export type ErrorListener = (
  thrown: unknown,
  message: string,
  mechanism: ErrorMechanism,
  position?: ScriptPosition,
) => void

/** Listens from the page's first script on for what nobody caught. Changes nothing about how the browser handles it. */
export function watchErrors(onSeen: ErrorListener, signal: AbortSignal): void {
  // What is thrown may be a proxy or have getters that throw. An error of ours here would come by here again.
  const listener: ErrorListener = (...error) => safely(() => onSeen(...error))
  const onError = (event: ErrorEvent) => {
    // A resource that failed to load also arrives here while it is captured, but it is no `ErrorEvent`.
    if (!(event instanceof ErrorEvent)) return
    const { error, message, filename, lineno, colno } = event
    const mechanism = { type: "auto.browser.global_handlers.onerror", handled: false } as const
    listener(error, message, mechanism, hasNone(error) ? { filename, lineno, colno } : undefined)
  }
  const onRejection = (event: PromiseRejectionEvent) => {
    const mechanism = { type: "auto.browser.global_handlers.onunhandledrejection", handled: false } as const
    listener(event.reason, "", mechanism)
  }
  window.addEventListener("error", onError, { signal })
  window.addEventListener("unhandledrejection", onRejection, { signal })
}

/** A script of another origin tells no error object. */
function hasNone(error: unknown): boolean {
  return error === null || error === undefined
}
