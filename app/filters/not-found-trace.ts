import type { Filter, TransactionFacts } from "pagespan/filters"

const NOT_FOUND_ROUTE = "/_not-found"

/** The trace of a 404 page: mostly scanners. The inspector still shows it. */
export const notFoundTrace: Filter<TransactionFacts> = {
  name: "404 page",
  reason: "not_found_trace",
  drops: ({ name, route, statusCode }) =>
    name === NOT_FOUND_ROUTE || route === NOT_FOUND_ROUTE || (statusCode === 404 && route === undefined),
}
