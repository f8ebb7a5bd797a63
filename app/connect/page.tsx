import type { Metadata } from "next"
import { headers } from "next/headers"
import { isForeign } from "#app/_live/is-foreign.ts"
import { fromStore } from "#app/_query/from-store.ts"
import { addressOf } from "#app/connect/address.ts"
import { ConnectView } from "#app/connect/connect-view.tsx"
import { settingsOf } from "#app/connect/settings.tsx"
import { traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Connect" }

/** Traces searched for one of a connected application. */
const LATEST = 200

/** Works while the store is unavailable: the page then shows no trace. */
export default async function ConnectPage() {
  const address = addressOf(await headers())
  const settings = settingsOf(inspectorInfo())
  const list = await fromStore(({ queries }) => queries.traces({ limit: LATEST }))
  const latest = list?.traces.find(({ services }) => isForeign(services, settings.internalServices))
  return (
    <ConnectView
      address={address}
      latest={latest && traceSummaryToJson(latest)}
      settings={settings}
      renderedAt={Date.now()}
    />
  )
}
