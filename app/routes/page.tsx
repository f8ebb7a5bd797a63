import type { Metadata } from "next"
import { connection } from "next/server"
import { parseRouteQuery } from "#otel/query/route-query.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { hiddenServices, ownActivity } from "#app/feed/own-activity.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { RoutesView } from "#app/routes/routes-view.tsx"
import { type PageParameters, searchParameters } from "#app/ui/search-parameters.ts"

export const metadata: Metadata = { title: "Routes" }

export default async function RoutesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const query = parseRouteQuery(parameters, Date.now())
  const read = await fromStore(async (_traces, { routes }) => {
    const own = await ownActivity(parameters)
    return { own, list: await routes.listRoutes({ ...query.scope, hidden: hiddenServices(own) }) }
  })
  if (read === undefined) return <StoreStarting />
  return <RoutesView {...read} query={query} parameters={parameters} />
}
