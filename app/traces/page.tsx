import { setTimeout as delay } from "node:timers/promises"
import type { Metadata } from "next"
import { redirect } from "next/navigation"
import { connection } from "next/server"
import { defer } from "#app/_query/defer.ts"
import { fromStore } from "#app/_query/from-store.ts"
import { internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { Problems, StoreStarting } from "#app/_query/store-starting.tsx"
import { type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { listAddress, listPlace } from "#app/_filter/list-address.ts"
import { readOverview } from "#app/traces/_overview/read-overview.ts"
import { scopeOf } from "#app/traces/_overview/scope.ts"
import { TracesView } from "#app/traces/traces-view.tsx"
import { hasTerm, termText, toggleTerm } from "#otel/inspector/queries/filters.ts"
import { parseTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Traces" }

/** How long the list waits for histogram and facets, in milliseconds. */
const COUNTED_MS = 50

export default async function TracesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const parsed = parseTraceListQuery(parameters, renderedAt, inspectorInfo().runs)
  const place = listPlace(parsed, parameters)
  const { service, after } = parsed.query
  if (service !== undefined) redirect(listAddress({ ...place, filter: withService(place.filter, service) }))
  const shown = await fromStore(async (context) => {
    const { queries } = context
    const own = await internalTelemetry(queries, parameters)
    const scope = scopeOf(parsed, own)
    if (parsed.problem !== undefined) return { own, result: undefined, overview: undefined }
    const result = await defer(queries.traces({ ...parsed.query, ...scope }), context)
    // The list comes first: histogram and facets are queried after it.
    const listRead = result.is === "pending" ? result.ended : Promise.resolve()
    const overview = readOverview(queries, listRead, scope, place, own, renderedAt)
    // Fast counts are rendered together with the list, so that nothing flickers.
    await Promise.race([Promise.all([overview.counts, ...Object.values(overview.facets)]), delay(COUNTED_MS)])
    return { own, result, overview }
  })
  if (shown === undefined) return <StoreStarting />
  return (
    <>
      <Problems />
      <TracesView
        result={shown.result}
        overview={shown.overview}
        place={place}
        after={after}
        own={shown.own}
        problem={parsed.problem}
        notices={parsed.notices}
        renderedAt={renderedAt}
      />
    </>
  )
}

/** The filter with the term of the service, which it may have already. */
function withService(filter: string, service: string): string {
  const term = termText("service", service)
  return hasTerm(filter, term) ? filter : toggleTerm(filter, term)
}
