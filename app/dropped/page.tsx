import type { Metadata } from "next"
import { connection } from "next/server"
import { internalTelemetryAmong } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { laterReleaseMarks } from "#app/compare/release-marks.ts"
import { DropsView } from "#app/dropped/dropped-view.tsx"
import { parseDropQuery } from "#otel/inspector/queries/drops/drop-query.ts"
import { dropToJson } from "#otel/inspector/queries/drops/drop-reader.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Dropped data" }

export default async function DropsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const query = parseDropQuery(parameters, renderedAt)
  const { fromMs, toMs, steps } = query.range
  const window = { fromMs, toMs, stepMs: steps.stepMs, hidden: inspectorInfo().internalServices }
  const result = await readScreen(async (queries) => {
    const [overview, page] = await Promise.all([queries.dropOverview(query.query, steps), queries.drops(query.query)])
    return { overview, page, marks: laterReleaseMarks(queries, window) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/dropped", parameters)} title="Dropped data">
      {({ overview, page, marks }) => (
        <DropsView
          overview={overview}
          marks={marks}
          drops={page.drops.map(dropToJson)}
          next={page.next}
          parsed={query}
          parameters={parameters}
          own={internalTelemetryAmong([])}
          renderedAt={renderedAt}
        />
      )}
    </QueryResult>
  )
}
