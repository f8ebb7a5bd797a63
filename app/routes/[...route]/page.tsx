import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import { parseRouteQuery } from "#otel/query/route-query.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { hiddenServices, ownActivity } from "#app/feed/own-activity.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { NothingMeasured } from "#app/routes/[...route]/nothing-measured.tsx"
import { RouteView } from "#app/routes/[...route]/route-view.tsx"
import { routeOf } from "#app/routes/route-address.ts"
import { type PageParameters, searchParameters } from "#app/ui/search-parameters.ts"

export const metadata: Metadata = { title: "Route" }

interface RoutePageProps {
  readonly params: Promise<{ route: string[] }>
  readonly searchParams: Promise<PageParameters>
}

export default async function RoutePage({ params, searchParams }: RoutePageProps) {
  await connection()
  const renderedAt = Date.now()
  const route = routeOf((await params).route)
  if (route === undefined) notFound()
  const parameters = searchParameters(await searchParams)
  const query = parseRouteQuery(parameters, renderedAt)
  const read = await fromStore(async (_traces, { routes }) => {
    const own = await ownActivity(parameters)
    const scope = { ...query.scope, hidden: hiddenServices(own) }
    return { own, detail: await routes.readRoute(route, scope, query.range.steps, query.kind) }
  })
  if (read === undefined) return <StoreStarting />
  const { own, detail } = read
  if (detail === undefined) return <NothingMeasured route={route} own={own} query={query} parameters={parameters} />
  return <RouteView detail={detail} own={own} query={query} parameters={parameters} renderedAt={renderedAt} />
}
