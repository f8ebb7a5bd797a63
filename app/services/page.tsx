import type { Metadata } from "next"
import { connection } from "next/server"
import { servicesPlace } from "#app/_filter/list-address.ts"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { ServicesView } from "#app/services/services-view.tsx"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import { parseServiceQuery } from "#otel/inspector/queries/services/service-query.ts"

export const metadata: Metadata = { title: "Services" }

export default async function ServicesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const query = parseServiceQuery(parameters, Date.now(), inspectorInfo().runs)
  const place = servicesPlace(query, parameters.get("own") ?? undefined)
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    if (query.problem !== undefined) return { own, list: undefined }
    const scope = { ...query.scope, withoutServices: hiddenServices(own) }
    return { own, list: await queries.services(scope, query.steps) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/services", parameters)} title="Services">
      {(read) => <ServicesView {...read} query={query} place={place} parameters={parameters} />}
    </QueryResult>
  )
}
