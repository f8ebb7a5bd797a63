import { defaultErrorFilters } from "./sdk/default-error-filters.ts"
import { defaultTransactionFilters, type Filters } from "./sdk/filters.ts"

/** Filters of your app: the errors and traces that are not reported to Sentry. */
export { setFilters } from "./sdk/filters.ts"

/**
 * The filters of an app that sets none. They drop control flow of Next.js and React (`framework_signal`), errors that
 * browsers, extensions and embedding apps cause (`noisy_error`), and the trace of the 404 page (`not_found_trace`).
 *
 * @example
 * setFilters({ transactions: [...defaultFilters.transactions, { name: "probe", reason: "ignored", drops: isProbe }] })
 */
export const defaultFilters: Pick<Filters, "errors" | "transactions"> = {
  errors: defaultErrorFilters,
  transactions: defaultTransactionFilters,
}

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
