import { headers } from "next/headers"
import { notFound, redirect } from "next/navigation"
import { isQueryCancelled, isStoreUnavailable } from "#otel/inspector/queries/query-failures.ts"
import { openQueries, type QueryContext } from "#otel/inspector/queries/screen-queries.ts"

/**
 * The result of a screen's query; `undefined` while the store is unavailable or after the client has cancelled it. Other
 * failures reject. Answers 404 for a host that is not served, and redirects to the sign-in where a token is required.
 */
export async function fromStore<T>(query: (context: QueryContext) => Promise<T>): Promise<T | undefined> {
  const context = openQueries(await headers())
  if (context === "unknown_host") notFound()
  if (context === "not_signed_in") redirect("/sign-in")
  try {
    return await query(context)
  } catch (error) {
    if (isStoreUnavailable(error) || isQueryCancelled(error)) return undefined
    throw error
  }
}
