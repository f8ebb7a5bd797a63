import type { Metadata } from "next"
import { connection } from "next/server"
import { parseLossQuery } from "#otel/query/loss-query.ts"
import { lossToJson } from "#otel/wire/issue-json.ts"
import { Answer } from "#app/feed/answer.tsx"
import { readScreen } from "#app/feed/read-screen.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { LossesView } from "#app/losses/losses-view.tsx"
import { type PageParameters, searchParameters } from "#app/ui/search-parameters.ts"
import { addressOf } from "#app/ui/with-parameters.ts"

export const metadata: Metadata = { title: "Losses" }

export default async function LossesPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const renderedAt = Date.now()
  const parameters = searchParameters(await searchParams)
  const query = parseLossQuery(parameters, renderedAt)
  const reading = await readScreen(({ losses }) =>
    Promise.all([losses.overviewLosses(query.query, query.range.steps), losses.pageLosses(query.query)]),
  )
  if (reading === undefined) return <StoreStarting />
  return (
    <Answer reading={reading} address={addressOf("/losses", parameters)} title="Losses">
      {([overview, page]) => (
        <LossesView
          overview={overview}
          losses={page.losses.map(lossToJson)}
          next={page.next}
          parsed={query}
          parameters={parameters}
          renderedAt={renderedAt}
        />
      )}
    </Answer>
  )
}
