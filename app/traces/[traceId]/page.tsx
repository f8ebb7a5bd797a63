import { notFound } from "next/navigation"
import { spanDetail } from "#otel/query/span-detail.ts"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"
import { readTrace } from "./read-trace.ts"
import { SpanPanel, UnknownSpan } from "./span/span-panel.tsx"

interface TracePageProps {
  readonly params: Promise<{ traceId: string }>
  readonly searchParams: Promise<PageParameters>
}

/** The opened span, beside the waterfall that the layout shows. */
export default async function TracePage({ params, searchParams }: TracePageProps) {
  const spans = await readTrace((await params).traceId)
  if (spans === undefined) return null
  const [first] = spans
  if (first === undefined) notFound()
  const spanId = searchParameters(await searchParams).get("span")
  if (spanId === null) return null
  const span = spanDetail(spans, spanId.toLowerCase())
  return span === undefined ? <UnknownSpan traceId={first.traceId} /> : <SpanPanel span={span} />
}
