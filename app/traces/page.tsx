import type { Metadata } from "next"
import { connection } from "next/server"
import { parseTraceListQuery } from "#otel/query/trace-list-query.ts"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { TracesView } from "#app/traces/traces-view.tsx"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"

export const metadata: Metadata = { title: "Traces" }

export default async function TracesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const { query, since, notices } = parseTraceListQuery(searchParameters(await searchParams), renderedAt)
  const list = await fromStore((traces) => traces.listTraces(query))
  if (list === undefined) return <StoreStarting />
  return (
    <TracesView
      traces={list.traces.map(traceSummaryToJson)}
      next={list.next}
      query={query}
      since={since}
      notices={notices}
      renderedAt={renderedAt}
    />
  )
}
