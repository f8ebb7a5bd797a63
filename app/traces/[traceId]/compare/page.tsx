import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import type { ComponentProps } from "react"
import { QueryResult } from "#app/_live/query-result.tsx"
import { readScreen } from "#app/_live/read-screen.ts"
import { StoreStarting } from "#app/_live/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { parseTraceId, type TraceId } from "#otel/inspector/queries/records.ts"
import { compareTraces } from "#otel/inspector/queries/trace/compare-traces.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { readWaterfall } from "#otel/inspector/queries/trace/waterfall-table.ts"
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

/** Compares a trace with the baseline in `with`; without it, offers baselines. */
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
  const otherId = parseTraceId(other)
  const [after, before] = await Promise.all([
    queries.traceView(traceId),
    otherId === undefined ? undefined : queries.traceView(otherId),
  ])
  if (after === undefined) return undefined
  const peers = await queries.peerTraces({ service: after.service, name: after.name, except: traceId }, OFFERED)
  const shared = {
    after: comparedTrace(after),
    offered: peers.map(({ traceId: id, startTime, duration }) => ({
      traceId: id,
      startTimeUnixNano: String(startTime),
      durationNano: String(duration),
    })),
  }
  if (other === "") return shared
  if (before === undefined) return { ...shared, problem: "No span of the baseline trace is stored." }
  const paths = compareTraces(readWaterfall(before.waterfall), readWaterfall(after.waterfall))
  return { ...shared, before: comparedTrace(before), paths: paths.slice(0, PATH_LIMIT), pathCount: paths.length }
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
