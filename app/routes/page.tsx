import type { Metadata } from "next"
import { connection } from "next/server"
import { parseRouteQuery } from "#otel/query/route-query.ts"
import { Answer } from "#app/feed/answer.tsx"
import { hiddenServices, ownActivity } from "#app/feed/own-activity.ts"
import { readScreen } from "#app/feed/read-screen.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { RoutesView } from "#app/routes/routes-view.tsx"
import { type PageParameters, searchParameters } from "#app/ui/search-parameters.ts"
import { addressOf } from "#app/ui/with-parameters.ts"

export const metadata: Metadata = { title: "Routes" }

export default async function RoutesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const query = parseRouteQuery(parameters, Date.now())
  const reading = await readScreen(async ({ routes }) => {
    const own = await ownActivity(parameters)
    return { own, list: await routes.listRoutes({ ...query.scope, hidden: hiddenServices(own) }) }
  })
  if (reading === undefined) return <StoreStarting />
  return (
    <Answer reading={reading} address={addressOf("/routes", parameters)} title="Routes">
      {(read) => <RoutesView {...read} query={query} parameters={parameters} />}
    </Answer>
  )
}
