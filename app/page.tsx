import { connection } from "next/server"
import { getInspector } from "#otel/inspector/instance.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { ownActivity } from "#app/feed/own-activity.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { NowView } from "#app/now/now-view.tsx"
import { readNow } from "#app/now/read-now.ts"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"

export default async function NowPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const shown = await fromStore(async (_traces, _inspector, asked) => {
    const own = await ownActivity(parameters)
    return { own, ...(await readNow(asked, own, renderedAt)) }
  })
  if (shown === undefined) return <StoreStarting />
  return <NowView {...shown} health={getInspector().health()} renderedAt={renderedAt} />
}
