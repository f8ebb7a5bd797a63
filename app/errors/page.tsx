import type { Metadata } from "next"
import { connection } from "next/server"
import { QueryResult } from "#app/_query/query-result.tsx"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { ErrorsView } from "#app/errors/errors-view.tsx"
import { parseIssueListQuery } from "#otel/inspector/queries/errors/issue-list-query.ts"
import { issueToJson } from "#otel/inspector/queries/errors/issue.ts"

export const metadata: Metadata = { title: "Errors" }

export default async function ErrorsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const { query, range, notices } = parseIssueListQuery(parameters, renderedAt)
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    const { issues, next } = await queries.errors({ ...query, hidden: hiddenServices(own) })
    const counts = await queries.eventCounts(
      issues.map(({ issueId }) => issueId),
      range.steps,
    )
    return { issues, next, counts, own }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/errors", parameters)} title="Errors">
      {({ issues, next, counts, own }) => (
        <ErrorsView
          rows={issues.map((issue) => ({ issue: issueToJson(issue), counts: counts.get(issue.issueId) ?? [] }))}
          next={next}
          own={own}
          parameters={parameters}
          query={query}
          range={range}
          notices={notices}
          renderedAt={renderedAt}
        />
      )}
    </QueryResult>
  )
}
