import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { releaseMarks } from "#app/compare/release-marks.ts"
import { fromSegment } from "#app/_ui/input/segment.ts"
import { NoService, ServiceView } from "#app/services/[name]/service-view.tsx"
import { serviceAddress } from "#app/services/service-address.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import { type ParsedServiceQuery, parseServiceQuery } from "#otel/inspector/queries/services/service-query.ts"

interface ServicePageProps {
  readonly params: Promise<{ name: string }>
  readonly searchParams: Promise<PageParameters>
}

/** Issues that the screen lists. */
const ISSUES = 10

export async function generateMetadata({ params }: ServicePageProps): Promise<Metadata> {
  return { title: shownName(fromSegment((await params).name) ?? "Service") }
}

export default async function ServicePage({ params, searchParams }: ServicePageProps) {
  await connection()
  const renderedAt = Date.now()
  const service = fromSegment((await params).name)
  if (service === undefined) notFound()
  const parameters = searchParameters(await searchParams)
  const query = parseServiceQuery(parameters, renderedAt, inspectorInfo().runs)
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    // An internal service that somebody opened is shown, whatever the switch says.
    const hidden = hiddenServices(own).filter((name) => name !== service)
    return { own, read: query.problem === undefined ? await readAll(queries, service, query, hidden) : undefined }
  })
  if (result === undefined) return <StoreStarting />
  const common = { service, query, parameters }
  return (
    <QueryResult result={result} address={addressOf(serviceAddress(service), parameters)} title={shownName(service)}>
      {({ own, read }) => {
        const figures = read?.list.services.find((one) => one.service === service)
        return read === undefined || figures === undefined ? (
          <NoService {...common} />
        ) : (
          <ServiceView {...common} {...read} figures={figures} own={own} renderedAt={renderedAt} />
        )
      }}
    </QueryResult>
  )
}

/** Everything that the screen shows. Routes and errors are those of the service in the window, whatever the filter. */
async function readAll(
  queries: QueryService,
  service: string,
  { scope, range, steps }: ParsedServiceQuery,
  hidden: readonly string[],
) {
  const own = { ...scope, withoutServices: hidden }
  const [list, detail, marks, { routes }, { issues }] = await Promise.all([
    queries.services(own, steps),
    queries.service(service, own, steps),
    releaseMarks(queries, {
      fromMs: range.fromMs,
      toMs: range.toMs,
      stepMs: steps.stepMs,
      hidden,
      services: [service],
    }),
    queries.routes({ from: range.from, until: range.until, service }),
    queries.errors({
      service,
      since: range.from,
      until: range.untilText === undefined ? undefined : range.until,
      limit: ISSUES,
    }),
  ])
  const isIncomplete = list.services.some((one) => one.service === service && one.tracesWithMissingParents > 0)
  const incomplete = isIncomplete ? await queries.incompleteTraces(service, own, steps) : []
  return { list, detail, incomplete, marks, routes, issues }
}
