import { setTimeout as delay } from "node:timers/promises"
import type { Metadata } from "next"
import { connection } from "next/server"
import { logsPlace } from "#app/_filter/list-address.ts"
import { defer } from "#app/_query/defer.ts"
import { fromStore } from "#app/_query/from-store.ts"
import { Problems, StoreStarting } from "#app/_query/store-starting.tsx"
import { type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { LogsView } from "#app/logs/logs-view.tsx"
import { type LogCounts, readLogCounts, readLogFacets } from "#app/logs/read-log-counts.ts"
import { laterReleaseMarks } from "#app/compare/release-marks.ts"
import { parseLogQuery } from "#otel/inspector/queries/logs/log-query.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Logs" }

/** How long the list waits for the histogram, in milliseconds. */
const COUNTED_MS = 50

export default async function LogsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parsed = parseLogQuery(searchParameters(await searchParams), renderedAt)
  const { query, problem, notices } = parsed
  const place = logsPlace(parsed)
  const shown = await fromStore(async (context) => {
    if (problem !== undefined) return { result: undefined, counts: undefined, facets: undefined, marks: undefined }
    const result = await defer(context.queries.logs(query), context)
    // The list comes first: its logs are counted after it.
    const listRead = result.is === "pending" ? result.ended : Promise.resolve()
    const counts = readLogCounts(context.queries, listRead, query, place, renderedAt)
    const marks = counts.then((counted) => (counted === undefined ? [] : marksOf(context.queries, counted)))
    const facets = readLogFacets(context.queries, counts, query, place)
    // Fast counts are rendered together with the list, so that nothing flickers.
    await Promise.race([counts, delay(COUNTED_MS)])
    return { result, counts, facets, marks }
  })
  if (shown === undefined) return <StoreStarting />
  return (
    <>
      <Problems />
      <LogsView {...shown} place={place} after={query.after} problem={problem} notices={notices} />
    </>
  )
}

/** Releases of applications: those of the inspector itself say nothing about their logs. */
function marksOf(queries: QueryService, { fromMs, toMs, stepMs }: LogCounts) {
  return laterReleaseMarks(queries, { fromMs, toMs, stepMs, hidden: inspectorInfo().internalServices })
}
