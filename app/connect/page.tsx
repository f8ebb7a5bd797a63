import type { Metadata } from "next"
import { headers } from "next/headers"
import { getInspector } from "#otel/inspector/instance.ts"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { ConnectView } from "#app/connect/connect-view.tsx"
import { settingsOf } from "#app/connect/settings.tsx"
import { addressOf } from "#app/connect/address.ts"

export const metadata: Metadata = { title: "Connect" }

/** Of use even while the store is away: it then knows of no trace yet. */
export default async function ConnectPage() {
  const address = addressOf(await headers())
  const latest = await fromStore((traces) => traces.listTraces({ limit: 1 }))
  return (
    <ConnectView
      address={address}
      latest={latest?.traces.slice(0, 1).map(traceSummaryToJson)[0]}
      settings={settingsOf(getInspector().config)}
      renderedAt={Date.now()}
    />
  )
}
