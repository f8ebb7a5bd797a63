/** Filters of your app: the errors and traces that are not reported to Sentry. */
export { setFilters } from "./sdk/filters.ts"
export type {
  BeforeSendResult,
  ErrorFacts,
  ErrorRules,
  Filter,
  FilterReason,
  Filters,
  Pattern,
  SentryErrorEvent,
  SentryEventHint,
  SentryException,
  TransactionFacts,
} from "./sdk/filters.ts"
