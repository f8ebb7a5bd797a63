/** Filters of your app: which errors and traces are not reported to Sentry. */
export { setFilters } from "./sdk/filters.ts"
export type { ErrorFacts, ErrorRules, Filter, Filters, Pattern, TransactionFacts } from "./sdk/filters.ts"
