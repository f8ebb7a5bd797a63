import { connection } from "next/server"
import { getInspector } from "#otel/inspector/instance.ts"
import { latestActivity } from "#otel/query/latest-activity.ts"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { NowView } from "#app/now/now-view.tsx"

/** Traces that the screen speaks of: enough for a picture, few enough to read on each refresh. */
const LATEST = 200

export default async function NowPage() {
  await connection()
  const list = await fromStore((traces) => traces.listTraces({ limit: LATEST }))
  if (list === undefined) return <StoreStarting />
  return (
    <NowView
      traces={list.traces.map(traceSummaryToJson)}
      more={list.next !== undefined}
      activity={latestActivity(list.traces)}
      health={getInspector().health()}
      renderedAt={Date.now()}
    />
  )
}
