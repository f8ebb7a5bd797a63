import { setFilters } from "pagespan/filters"
import { frameworkSignals } from "./framework-signals.ts"
import { noisyErrors } from "./noisy-errors.ts"
import { notFoundTrace } from "./not-found-trace.ts"

/** Errors and traces that this app does not report to Sentry. Imported for its side effect, in the browser and on the server. */
setFilters({ errors: [...frameworkSignals, ...noisyErrors], transactions: [notFoundTrace] })
