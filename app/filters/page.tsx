import type { Metadata } from "next"
import { connection } from "next/server"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { FiltersView } from "#app/filters/filters-view.tsx"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Saved filters" }

export default async function FiltersPage() {
  await connection()
  const result = await readScreen(() => savedFilters())
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address="/filters" title="Saved filters">
      {(saved) => <FiltersView {...saved} />}
    </QueryResult>
  )
}

/** The filters, or why there are none. */
async function savedFilters() {
  try {
    return { filters: await inspectorInfo().savedFilters(), problem: undefined }
  } catch (error) {
    if (error instanceof Error && error.name === "SavedFilterRefused") return { filters: [], problem: error.message }
    throw error
  }
}
