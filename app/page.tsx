import { connection } from "next/server"
import { getInspector } from "#otel/inspector/instance.ts"
import { Answer } from "#app/feed/answer.tsx"
import { ownActivity } from "#app/feed/own-activity.ts"
import { readScreen } from "#app/feed/read-screen.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { NowView } from "#app/now/now-view.tsx"
import { readNow } from "#app/now/read-now.ts"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"
import { addressOf } from "#app/ui/with-parameters.ts"

/** Characters of an item's type; no kind that is known has a longer name. */
const TYPE_LIMIT = 256

export default async function NowPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const type = parameters.get("items")
  const itemType = type === null || type === "" ? undefined : type.slice(0, TYPE_LIMIT)
  const reading = await readScreen(async (_inspector, asked) => {
    const own = await ownActivity(parameters)
    return { own, ...(await readNow(asked, own, renderedAt, itemType)) }
  })
  if (reading === undefined) return <StoreStarting />
  return (
    <Answer reading={reading} address={addressOf("/", parameters)} title="Now">
      {(shown) => (
        <NowView
          {...shown}
          itemType={itemType}
          parameters={parameters}
          health={getInspector().health()}
          renderedAt={renderedAt}
        />
      )}
    </Answer>
  )
}
