import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { QueryResult } from "#app/_query/query-result.tsx"
import { fromStore } from "#app/_query/from-store.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { parseSpanId, parseTraceId } from "#otel/inspector/queries/records.ts"
import { spanDetail, type SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { firstRows } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { readView } from "./read-view.ts"
import { TraceScreen } from "./trace-screen.tsx"

interface TracePageProps {
  readonly params: Promise<{ traceId: string }>
  readonly searchParams: Promise<PageParameters>
}

/** Rows rendered with the page. A larger trace renders `FIRST_ROWS` and fetches the rest. */
const ROWS_AT_ONCE = 1_000
const FIRST_ROWS = 200

export async function generateMetadata({ params }: TracePageProps): Promise<Metadata> {
  const result = await readView((await params).traceId)
  return { title: result?.is === "ready" ? titleOf(result.value) : "Trace" }
}

function titleOf(view: TraceView | "unknown"): string {
  return view === "unknown" ? "Trace" : shownName(view.name)
}

/** The URL holds selected span, zoom, search and view. */
export default async function TracePage({ params, searchParams }: TracePageProps) {
  const { traceId } = await params
  const parameters = searchParameters(await searchParams)
  const [result, opened] = await Promise.all([readView(traceId), readOpened(traceId, parameters.get("span"))])
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult
      result={result}
      address={addressOf(`/traces/${encodeURIComponent(traceId)}`, parameters)}
      title="Trace"
      titleOf={titleOf}
    >
      {(view) => (view === "unknown" ? notFound() : <TraceScreen view={withFirstRows(view)} opened={opened} />)}
    </QueryResult>
  )
}

function withFirstRows(view: TraceView): TraceView {
  const { waterfall } = view
  const rows = waterfall.spanCount <= ROWS_AT_ONCE ? ROWS_AT_ONCE : FIRST_ROWS
  return { ...view, waterfall: firstRows(waterfall, rows) }
}

/** `undefined` without a selected span; empty if the trace does not contain it. */
async function readOpened(trace: string, span: string | null): Promise<readonly SpanDetail[] | undefined> {
  const traceId = parseTraceId(trace)
  const spanId = parseSpanId(span?.toLowerCase() ?? "")
  if (traceId === undefined || span === null) return undefined
  if (spanId === undefined) return []
  return (await fromStore(({ queries }) => queries.span(traceId, spanId)))?.map(spanDetail)
}
