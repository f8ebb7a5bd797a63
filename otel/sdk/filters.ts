import type { ErrorEvent, EventHint } from "@sentry/core"
import type { DropReason } from "../protocol/records/drop.ts"

/** What a filter may look at, the same for an error of a page and of a server. */
export interface ErrorFacts {
  readonly side: "page" | "server"
  /** `name` of the error, like `TypeError`; empty for something thrown that is no error. */
  readonly type: string
  readonly message: string
  /** Next's digest: control flow like a redirect, or the id of a server error. */
  readonly digest: string | undefined
  /** URLs of the scripts on the stack, innermost first. */
  readonly scripts: readonly string[]
}

/** A finished root span and what it became, before it is forwarded. */
export interface TransactionFacts {
  readonly side: "page" | "server"
  readonly name: string
  /** `http.route`, where a route matched. */
  readonly route: string | undefined
  readonly statusCode: number | undefined
}

/** A reason not to report something. What it drops is counted under `reason`, never silently. */
export interface Filter<Facts> {
  /** Shown with the drop, like `ResizeObserver notice`. */
  readonly name: string
  readonly reason: DropReason
  drops(facts: Facts): boolean
}

/** A text that must occur, or a pattern that must match. */
export type Pattern = string | RegExp

/** Sentry's own options under their own names and with their own meaning, for a page and a server alike. */
export interface ErrorRules {
  /** Matched against the message and against `Type: message`. */
  readonly ignoreErrors?: readonly Pattern[]
  /** Only errors from scripts whose address matches one are reported. An error without an address passes. */
  readonly allowUrls?: readonly Pattern[]
  /** No error from a script whose address matches one is reported. */
  readonly denyUrls?: readonly Pattern[]
  /** Sees every error last, on its trace; what it returns is sent, `null` drops it. An error that it throws drops it too. */
  beforeSend?(event: ErrorEvent, hint: EventHint): ErrorEvent | null | PromiseLike<ErrorEvent | null>
}

export interface Filters extends ErrorRules {
  readonly errors: readonly Filter<ErrorFacts>[]
  readonly transactions: readonly Filter<TransactionFacts>[]
}
