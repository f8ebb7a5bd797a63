import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import type { ComponentProps } from "react"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { nanoseconds, parseTraceId, type TraceId } from "#otel/inspector/queries/records.ts"
import { compareTraces } from "#otel/inspector/queries/trace/compare-traces.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { readWaterfall, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { type ComparedTrace, CompareView } from "./compare-view.tsx"

interface ComparePageProps {
  readonly params: Promise<{ traceId: string }>
  readonly searchParams: Promise<PageParameters>
}

export const metadata: Metadata = { title: "Compare traces" }

/** Newest traces offered as baseline. */
const OFFERED = 50
/** Paths shown at most. */
const PATH_LIMIT = 1_000

/** Compares a trace with the baseline in `with`; without it, with the typical trace of its route. */
export default async function ComparePage({ params, searchParams }: ComparePageProps) {
  await connection()
  const { traceId: address } = await params
  const parameters = searchParameters(await searchParams)
  const traceId = parseTraceId(address)
  if (traceId === undefined) notFound()
  const result = await readScreen((queries) => compared(queries, traceId, parameters.get("with")?.trim() ?? ""))
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={addressOf(`/traces/${traceId}/compare`, parameters)} title="Compare">
      {(comparison) => (comparison === undefined ? notFound() : <CompareView {...comparison} />)}
    </QueryResult>
  )
}

/** `undefined` if no span of the trace is stored. */
async function compared(
  queries: QueryService,
  traceId: TraceId,
  other: string,
): Promise<ComponentProps<typeof CompareView> | undefined> {
  const after = await queries.traceView(traceId)
  if (after === undefined) return undefined
  const like = { service: after.service, name: after.name, except: traceId }
  const whole = readWaterfall(after.waterfall)
  const start = nanoseconds(BigInt(after.waterfall.startTimeUnixNano))
  const [peers, typical] = await Promise.all([
    queries.peerTraces(like, OFFERED),
    queries.typicalTraces({ ...like, ...pageloadOf(after, whole), start }),
  ])
  const otherId = other === "" ? typical.median?.traceId : parseTraceId(other)
  const before = otherId === undefined ? undefined : await queries.traceView(otherId)
  const shared = {
    after: comparedTrace(after),
    typical,
    offered: peers.map(({ traceId: id, startTime, duration }) => ({
      traceId: id,
      startTimeUnixNano: String(startTime),
      durationNano: String(duration),
    })),
  }
  if (otherId === undefined && other === "") return shared
  if (before === undefined) return { ...shared, problem: "No span of the baseline trace is stored." }
  const paths = compareTraces(readWaterfall(before.waterfall), whole)
  return { ...shared, before: comparedTrace(before), paths: paths.slice(0, PATH_LIMIT), pathCount: paths.length }
}

/** The page load that a visitor waited for: its first. */
function pageloadOf({ waterfall }: TraceView, table: WaterfallTable) {
  const row = waterfall.pages.map(({ spanId }) => table.indexOf(spanId)).find((found) => found !== -1)
  return row === undefined
    ? { isPageload: false }
    : { isPageload: true, service: table.service(row), name: table.name(row) }
}

function comparedTrace({ traceId, name, waterfall }: TraceView) {
  return {
    traceId,
    name,
    startTimeUnixNano: waterfall.startTimeUnixNano,
    durationNano: waterfall.durationNano,
    spanCount: waterfall.spanCount,
    errorCount: waterfall.errorCount,
  } satisfies ComparedTrace
}
