/** Filters of your app: the errors and traces that are not reported to Sentry. */
export { setFilters } from "./sdk/filters.ts"
export type { ErrorFacts, ErrorRules, Filter, Filters, Pattern, TransactionFacts } from "./sdk/filters.ts"
