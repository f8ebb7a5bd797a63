import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { parseTraceId, type TraceId } from "#otel/model/ids.ts"
import { compareTraces } from "#otel/query/compare-traces.ts"
import { readWaterfall } from "#otel/query/waterfall-table.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"
import { readView } from "../read-view.ts"
import { CompareView, type ComparedTrace } from "./compare-view.tsx"

interface ComparePageProps {
  readonly params: Promise<{ traceId: string }>
  readonly searchParams: Promise<PageParameters>
}

export const metadata: Metadata = { title: "Compare traces" }

/** Traces that are offered, the newest. */
const OFFERED = 50
/** Paths that are shown. A comparison of more is one of the sums above them. */
const PATH_LIMIT = 1_000

/** A trace beside another one of the same route, which `with` names; without it, those that it can be compared with. */
export default async function ComparePage({ params, searchParams }: ComparePageProps) {
  const { traceId } = await params
  const other = searchParameters(await searchParams)
    .get("with")
    ?.trim()
  const after = await readView(traceId)
  if (after === undefined) return <StoreStarting />
  if (after === "unknown") notFound()
  const like = { service: after.service, name: after.name, except: after.traceId as TraceId }
  const peers = (await fromStore((traces) => traces.listPeerTraces(like, OFFERED))) ?? []
  const shared = {
    after: comparedTrace(after),
    offered: peers.map(({ traceId, startTime, duration }) => ({
      traceId,
      startTimeUnixNano: String(startTime),
      durationNano: String(duration),
    })),
  }
  if (!other) return <CompareView {...shared} />
  const before = parseTraceId(other) === undefined ? "unknown" : await readView(other)
  if (before === undefined) return <StoreStarting />
  if (before === "unknown") return <CompareView {...shared} problem="No span of the other trace is stored." />
  const paths = compareTraces(readWaterfall(before.waterfall), readWaterfall(after.waterfall))
  return (
    <CompareView
      {...shared}
      before={comparedTrace(before)}
      paths={paths.slice(0, PATH_LIMIT)}
      pathCount={paths.length}
    />
  )
}

function comparedTrace({
  traceId,
  name,
  waterfall,
}: Exclude<Awaited<ReturnType<typeof readView>>, string | undefined>) {
  return {
    traceId,
    name,
    startTimeUnixNano: waterfall.startTimeUnixNano,
    durationNano: waterfall.durationNano,
    spanCount: waterfall.spanCount,
    errorCount: waterfall.errorCount,
  } satisfies ComparedTrace
}
