import { connection } from "next/server"
import { QueryResult } from "#app/_query/query-result.tsx"
import { internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { OverviewView } from "#app/_overview/overview-view.tsx"
import { readOverviewData } from "#app/_overview/read-overview.ts"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

/** Longest item type that is looked up, in characters. Every type that Sentry documents is shorter. */
const TYPE_LIMIT = 256

export default async function OverviewPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const type = parameters.get("items")
  const itemType = type === null || type === "" ? undefined : type.slice(0, TYPE_LIMIT)
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    // Their own screen says why they cannot be read.
    const filters = await inspectorInfo()
      .savedFilters()
      .catch(() => [])
    return { own, filters, ...(await readOverviewData(queries, own, renderedAt, itemType)) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/", parameters)} title="Overview">
      {(shown) => (
        <OverviewView
          {...shown}
          itemType={itemType}
          parameters={parameters}
          health={inspectorInfo().health()}
          renderedAt={renderedAt}
        />
      )}
    </QueryResult>
  )
}
