import type { Metadata } from "next"
import { connection } from "next/server"
import { QueryResult } from "#app/_query/query-result.tsx"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { RoutesView } from "#app/routes/routes-view.tsx"
import { parseRouteQuery } from "#otel/inspector/queries/routes/route-query.ts"

export const metadata: Metadata = { title: "Routes" }

export default async function RoutesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const query = parseRouteQuery(parameters, Date.now())
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    return { own, list: await queries.routesWithChanges({ ...query.scope, hidden: hiddenServices(own) }) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/routes", parameters)} title="Routes">
      {(read) => <RoutesView {...read} query={query} parameters={parameters} />}
    </QueryResult>
  )
}
