import type { ErrorEvent, EventHint } from "@sentry/core"
import type { DropReason } from "../protocol/records/drop.ts"
import { safely } from "./safely.ts"

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
  /** Only `true` drops. One that throws, or returns a promise or anything else that is no boolean, lets the record pass. */
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

/**
 * The app's filters, kept on the global object: Next bundles pages, routes and instrumentation apart, and each bundle
 * has a copy of this module of its own.
 */
const KEY = Symbol.for("pagespan.filters")
const LOGGED = Symbol.for("pagespan.filter-failure-logged")
const NO_FILTERS: Filters = { errors: [], transactions: [] }
const globals = globalThis as { [KEY]?: Filters; [LOGGED]?: true }

/**
 * Sets what is not reported to Sentry, in a page or a server; replaces what was set before. A filter that fails lets the
 * record pass: it is logged once, and counted as `filter_failed`.
 *
 * @example setFilters({ errors: [{ name: "old widget", reason: "noisy_error", drops: ({ message }) => message.includes("widget 2") }] })
 */
export function setFilters(filters: Partial<Filters>): void {
  globals[KEY] = { ...filters, errors: filters.errors ?? [], transactions: filters.transactions ?? [] }
}

export function currentFilters(): Filters {
  return globals[KEY] ?? NO_FILTERS
}

/**
 * Logs the first filter that fails in this process or page. The message of what it threw may hold a secret and is left out.
 *
 * @returns a line about this failure, for a drop record's sample.
 */
export function logFilterFailure(filter: string, error: unknown): string {
  const type = safely(
    () => (error instanceof Error ? error.name : typeof error),
    () => "an error",
  )
  const line = `the filter ${JSON.stringify(filter)} failed (${type}) and let the record pass`
  if (globals[LOGGED] !== true) {
    globals[LOGGED] = true
    // oxlint-disable-next-line no-console -- it is where whoever wrote the filter looks
    console.warn(`pagespan: ${line}`)
  }
  return line
}
