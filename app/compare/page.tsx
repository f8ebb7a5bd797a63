import type { Metadata } from "next"
import { connection } from "next/server"
import { hiddenServices, internalTelemetry } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { CompareView } from "#app/compare/compare-view.tsx"
import { isSameSide, parseCompareQuery } from "#otel/inspector/queries/compare/compare-query.ts"
import { presetsOf } from "#otel/inspector/queries/compare/presets.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Compare" }

export default async function ComparePage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const query = parseCompareQuery(parameters, renderedAt, inspectorInfo().runs)
  const { a, b } = query
  const isComparable = !isSameSide(a, b) && a.problem === undefined && b.problem === undefined
  const result = await readScreen(async (queries) => {
    const own = await internalTelemetry(queries, parameters)
    const withoutServices = hiddenServices(own)
    const [comparison, releases, runs, starts] = await Promise.all([
      isComparable ? queries.compare({ ...a.scope, withoutServices }, { ...b.scope, withoutServices }) : undefined,
      queries.cached("releases", ({ releases: list }) => list()),
      queries.runs(),
      queries.cached("app starts", ({ appStarts }) => appStarts()),
    ])
    const shown = <T extends { readonly service: string }>(all: readonly T[]) =>
      all.filter(({ service }) => !withoutServices.includes(service))
    const known = { releases: shown(releases), runs, starts: shown(starts) }
    return { own, comparison, presets: presetsOf(b, known, renderedAt) }
  })
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf("/compare", parameters)} title="Compare">
      {(read) => <CompareView {...read} query={query} />}
    </QueryResult>
  )
}
