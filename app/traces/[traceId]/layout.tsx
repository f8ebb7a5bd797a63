import type { Metadata } from "next"
import type { ReactNode } from "react"
import { buildWaterfall, traceName } from "#otel/query/waterfall.ts"
import { waterfallToJson } from "#otel/query/waterfall-json.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { readTrace } from "./read-trace.ts"
import { TraceHeader } from "./trace-header.tsx"
import { TraceScreen } from "./trace-screen.tsx"
import { shownName } from "#app/ui/shown-text.ts"

interface TraceLayoutProps {
  readonly params: Promise<{ traceId: string }>
  readonly children: ReactNode
}

export async function generateMetadata({ params }: TraceLayoutProps): Promise<Metadata> {
  const spans = await readTrace((await params).traceId)
  const [first] = spans ?? []
  return { title: first === undefined ? "Trace" : shownName(traceName(spans ?? [])) }
}

/**
 * The trace itself is the layout and the opened span is the page: opening another span asks the server for the panel alone,
 * and the waterfall, which may be megabytes, stays where it is.
 */
export default async function TraceLayout({ params, children }: TraceLayoutProps) {
  const spans = await readTrace((await params).traceId)
  if (spans === undefined) return <StoreStarting />
  const [first] = spans
  if (first === undefined) return children
  const waterfall = waterfallToJson(buildWaterfall(spans))
  return (
    <TraceScreen
      traceId={first.traceId}
      waterfall={waterfall}
      header={<TraceHeader traceId={first.traceId} name={traceName(spans)} spans={spans} waterfall={waterfall} />}
    >
      {children}
    </TraceScreen>
  )
}
