import type { Metadata } from "next"
import { connection } from "next/server"
import { Answer } from "#app/_live/answer.tsx"
import { readScreen } from "#app/_live/read-screen.ts"
import { StoreStarting } from "#app/_live/store-starting.tsx"
import { addressOf, type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { RunsView } from "#app/runs/runs-view.tsx"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"

export const metadata: Metadata = { title: "Runs" }

export default async function RunsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const [a, b] = [parameters.get("a") ?? "", parameters.get("b") ?? ""]
  const reading = await readScreen(async (queries) => {
    const [kept, copies, starts] = await Promise.all([
      queries.runs(),
      queries.runCopies(),
      queries.cached("app starts", ({ appStarts }) => appStarts()),
    ])
    if (a === "" || b === "") return { kept, copies, starts, comparison: undefined }
    return { kept, copies, starts, comparison: await queries.compareRuns(a, b) }
  })
  if (reading === undefined) return <StoreStarting />
  const { ageMs } = inspectorInfo().config.PAGESPAN_RETENTION
  return (
    <Answer reading={reading} address={addressOf("/runs", parameters)} title="Runs">
      {({ kept, ...shown }) => (
        <RunsView {...shown} retained={kept} a={a} b={b} retentionMs={ageMs} renderedAt={Date.now()} />
      )}
    </Answer>
  )
}
