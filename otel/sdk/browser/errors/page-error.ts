import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

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
