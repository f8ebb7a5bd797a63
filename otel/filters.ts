import type { Filters } from "./sdk/filters.ts"

export type { ErrorFacts, ErrorRules, Filter, Filters, Pattern, TransactionFacts } from "./sdk/filters.ts"

/**
 * The app's filters, kept on the global object: Next bundles pages, routes and instrumentation apart, and each bundle
 * has a copy of this module of its own.
 */
const KEY = Symbol.for("pagespan.filters")
const NO_FILTERS: Filters = { errors: [], transactions: [] }

/** Sets what is not reported to Sentry, in a page or a server; replaces what was set before. */
export function setFilters(filters: Partial<Filters>): void {
  ;(globalThis as { [KEY]?: Filters })[KEY] = { ...NO_FILTERS, ...filters }
}

export function currentFilters(): Filters {
  return (globalThis as { [KEY]?: Filters })[KEY] ?? NO_FILTERS
}
