import { processState } from "./process-state.ts"
import { safely } from "../protocol/safely.ts"

/** What an error filter can inspect, in a page and on a server alike. */
export interface ErrorFacts {
  readonly side: "page" | "server"
  /** The error's `name`, like `TypeError`; empty if the thrown value is no `Error`. */
  readonly type: string
  /** The error's message, or the thrown value as text. */
  readonly message: string
  /** Next's digest: control flow such as a redirect, or the id of a server error. */
  readonly digest: string | undefined
  /** URLs of the scripts on the stack, innermost first. */
  readonly scripts: readonly string[]
}

/** What a transaction filter can inspect: a finished root span, before it is sent. */
export interface TransactionFacts {
  readonly side: "page" | "server"
  /** Name of the root span, like `GET /items/[id]`. */
  readonly name: string
  /** `http.route`, if a route matched. */
  readonly route: string | undefined
  /** HTTP status code of the response, if there is one. */
  readonly statusCode: number | undefined
}

/**
 * Reason under which the data that a filter drops is counted: `framework_signal` for control flow of a framework,
 * `noisy_error` for errors nobody can act on, `not_found_trace` for traces of missing pages, `ignored` for everything else.
 */
export type FilterReason = "framework_signal" | "ignored" | "noisy_error" | "not_found_trace"

/** Decides which errors or traces are not sent. What it drops is counted under `reason`. */
export interface Filter<Facts> {
  /** Shown with the dropped data, like `ResizeObserver notice`. */
  readonly name: string
  readonly reason: FilterReason
  /** Return `true` to drop. If it throws, or returns a promise or another value that is no boolean, the data is sent. */
  drops(facts: Facts): boolean
}

/** A substring, or a regular expression. */
export type Pattern = string | RegExp

/**
 * A Sentry error event. It names the fields that filters commonly read; an event may have others, which are sent too. The
 * type is structural, so that it needs no Sentry package: Sentry's own `ErrorEvent` is assignable to it.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export interface SentryErrorEvent {
  type: undefined
  event_id?: string | undefined
  message?: string | undefined
  transaction?: string | undefined
  release?: string | undefined
  environment?: string | undefined
  fingerprint?: string[] | undefined
  tags?: { [key: string]: unknown } | undefined
  extra?: { [key: string]: unknown } | undefined
  contexts?: { [key: string]: { [key: string]: unknown } | undefined } | undefined
  user?: { [key: string]: unknown } | undefined
  request?: { url?: string | undefined; method?: string | undefined } | undefined
  exception?: { values?: SentryException[] | undefined } | undefined
  breadcrumbs?: { category?: string | undefined; message?: string | undefined }[] | undefined
}

/** One exception of an event's chain, by the fields that filters commonly read. */
export interface SentryException {
  type?: string | undefined
  value?: string | undefined
  stacktrace?: { frames?: { filename?: string | undefined; function?: string | undefined }[] | undefined } | undefined
}

/** What Sentry passes beside an event. */
export interface SentryEventHint {
  /** What was thrown. */
  originalException?: unknown
}

/** What `beforeSend` returns: the event to send, or `null` to drop it. */
export type BeforeSendResult = SentryErrorEvent | null

/** Sentry's own options under their own names and with their own meaning, for page and server alike. */
export interface ErrorRules {
  /** Drops errors whose message, or `Type: message`, matches one of the patterns. Default: none. */
  readonly ignoreErrors?: readonly Pattern[]
  /** Sends only errors thrown in scripts whose URL matches one of the patterns, and errors without a URL. Default: all. */
  readonly allowUrls?: readonly Pattern[]
  /** Drops errors thrown in scripts whose URL matches one of the patterns. Default: none. */
  readonly denyUrls?: readonly Pattern[]
  /** Runs last, for every error. If it throws or rejects, the error is dropped, as in Sentry. Default: the event as it is. */
  beforeSend?(event: SentryErrorEvent, hint: SentryEventHint): BeforeSendResult | PromiseLike<BeforeSendResult>
}

/** All filters of an app. */
export interface Filters extends ErrorRules {
  readonly errors: readonly Filter<ErrorFacts>[]
  readonly transactions: readonly Filter<TransactionFacts>[]
}

const state = /* @__PURE__ */ processState<Partial<Filters>>("filters")

/** Next's name for the page that it shows where no route matches. */
export const NOT_FOUND_ROUTE = "/_not-found"

/** The traces that no app sends to Sentry by default: those of the 404 page, which are mostly scanners'. */
export const defaultTransactionFilters: readonly Filter<TransactionFacts>[] = [
  {
    name: "404 page",
    reason: "not_found_trace",
    drops: ({ name, route, statusCode }) =>
      name === NOT_FOUND_ROUTE || route === NOT_FOUND_ROUTE || (statusCode === 404 && route === undefined),
  },
]

/**
 * Sets which errors and traces are not sent to Sentry, for this page or this server process. Replaces all filters that were
 * set before. Never throws; a filter that fails is logged once, counted as `filter_failed`, and lets the data pass.
 *
 * @param filters `errors` and `transactions` default to those of `defaultFilters`, which a list of your own replaces;
 *   `ignoreErrors`, `allowUrls`, `denyUrls` and `beforeSend` are Sentry's options, and are unset by default. A list that is no
 *   array counts as not set.
 *
 * @example
 * setFilters({
 *   errors: [
 *     ...defaultFilters.errors,
 *     { name: "old widget", reason: "noisy_error", drops: ({ message }) => message.includes("widget 2") },
 *   ],
 *   denyUrls: [/\/vendor\//],
 * })
 */
export function setFilters(filters: Partial<Filters>): void {
  safely(() => {
    const set: Record<string, unknown> = { ...filters }
    for (const list of ["errors", "transactions", "ignoreErrors", "allowUrls", "denyUrls"])
      if (!Array.isArray(set[list])) delete set[list]
    for (const list of ["errors", "transactions"])
      if (set[list] !== undefined) set[list] = (set[list] as Filter<never>[]).map(withKnownReason)
    state.value = set
  })
}

const REASONS: ReadonlySet<FilterReason> = /* @__PURE__ */ new Set([
  "framework_signal",
  "ignored",
  "noisy_error",
  "not_found_trace",
])

/** An app without types may set any other reason, which no report of drops can have. */
function withKnownReason(filter: Filter<never>): Filter<never> {
  const isKnown = safely(
    () => REASONS.has(filter.reason),
    () => false,
  )
  if (isKnown) return filter
  return {
    get name() {
      return filter.name
    },
    reason: "ignored",
    drops: (facts) => filter.drops(facts),
  }
}

/** The filters that the app has set. The default of a list that it has not set is applied where the list is used. */
export function currentFilters(): Partial<Filters> {
  return state.value ?? {}
}
