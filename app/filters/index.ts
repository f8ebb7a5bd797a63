import { setFilters } from "pagespan/filters"
import { frameworkSignals } from "./framework-signals.ts"
import { noisyErrors } from "./noisy-errors.ts"
import { notFoundTrace } from "./not-found-trace.ts"

/** What this app does not report to Sentry, and why. Imported for its effect, in the page and on the server. */
setFilters({ errors: [...frameworkSignals, ...noisyErrors], transactions: [notFoundTrace] })
