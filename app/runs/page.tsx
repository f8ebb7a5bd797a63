import type { Metadata } from "next"
import { connection } from "next/server"
import { internalTelemetryAmong } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { RunsView } from "#app/runs/runs-view.tsx"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Runs" }

export default async function RunsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const result = await readScreen(async (queries) => {
    const [retained, copies, starts] = await Promise.all([
      queries.runs(),
      queries.runCopies(),
      queries.cached("app starts", ({ appStarts }) => appStarts()),
    ])
    return { retained, copies, starts }
  })
  if (result === undefined) return <StoreStarting />
  const { ageMs } = inspectorInfo().config.PAGESPAN_RETENTION
  const own = internalTelemetryAmong([])
  return (
    <QueryResult result={result} address={addressOf("/runs", parameters)} title="Runs">
      {({ retained, ...shown }) => (
        <RunsView {...shown} retained={retained} retentionMs={ageMs} own={own} renderedAt={Date.now()} />
      )}
    </QueryResult>
  )
}
