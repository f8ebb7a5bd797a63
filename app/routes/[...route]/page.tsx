import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import { QueryResult } from "#app/_query/query-result.tsx"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { releaseMarks } from "#app/compare/release-marks.ts"
import { NothingMeasured } from "#app/routes/[...route]/nothing-measured.tsx"
import { RouteView } from "#app/routes/[...route]/route-view.tsx"
import { routeAddress, routeOf } from "#app/routes/route-address.ts"
import { parseRouteQuery } from "#otel/inspector/queries/routes/route-query.ts"

interface RoutePageProps {
  readonly params: Promise<{ route: string[] }>
  readonly searchParams: Promise<PageParameters>
}

export async function generateMetadata({ params }: RoutePageProps): Promise<Metadata> {
  return { title: shownName(routeOf((await params).route) ?? "Route") }
}

export default async function RoutePage({ params, searchParams }: RoutePageProps) {
  await connection()
  const renderedAt = Date.now()
  const route = routeOf((await params).route)
  if (route === undefined) notFound()
  const parameters = searchParameters(await searchParams)
  const query = parseRouteQuery(parameters, renderedAt)
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    const scope = { ...query.scope, hidden: hiddenServices(own) }
    const { fromMs, toMs, steps } = query.range
    const detail = await queries.route(route, scope, steps, query.kind)
    const services = [...(detail?.services ?? []), ...(detail?.children ?? []).map(({ service }) => service)]
    const window = { fromMs, toMs, stepMs: steps.stepMs, hidden: scope.hidden, services }
    return { own, detail, marks: detail === undefined ? [] : await releaseMarks(queries, window) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf(routeAddress(route), parameters)} title={shownName(route)}>
      {({ own, detail, marks }) =>
        detail === undefined ? (
          <NothingMeasured route={route} own={own} query={query} parameters={parameters} />
        ) : (
          <RouteView
            detail={detail}
            own={own}
            query={query}
            parameters={parameters}
            marks={marks}
            renderedAt={renderedAt}
          />
        )
      }
    </QueryResult>
  )
}
