import type { Metadata } from "next"
import { connection } from "next/server"
import { Answer } from "#app/_live/answer.tsx"
import type { Asked } from "#app/_live/from-store.ts"
import { readScreen } from "#app/_live/read-screen.ts"
import { StoreStarting } from "#app/_live/store-starting.tsx"
import { type PageParameters, searchParameters } from "#app/_ui/input/parameters.ts"
import { addressOf } from "#app/_ui/input/parameters.ts"
import { RunsView } from "#app/runs/runs-view.tsx"
import { getInspector } from "#otel/inspector/instance.ts"
import { compareRuns } from "#otel/inspector/queries/list/compare-runs.ts"
import { parseFilter, termText } from "#otel/inspector/search/index.ts"

export const metadata: Metadata = { title: "Runs" }

export default async function RunsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const [a, b] = [parameters.get("a") ?? "", parameters.get("b") ?? ""]
  const reading = await readScreen(async ({ traces, runs }, asked) => {
    const [kept, copies, starts] = await Promise.all([
      runs.refresh(),
      traces.listCopies(),
      asked.remember("app starts", ({ traces }) => traces.appStarts()),
    ])
    if (a === "" || b === "") return { kept, copies, starts, comparison: undefined }
    const [ofA, ofB] = await Promise.all([statsOf(asked, a), statsOf(asked, b)])
    return { kept, copies, starts, comparison: compareRuns(ofA, ofB) }
  })
  if (reading === undefined) return <StoreStarting />
  const { ageMs } = getInspector().config.PAGESPAN_RETENTION
  return (
    <Answer reading={reading} address={addressOf("/runs", parameters)} title="Runs">
      {({ kept, ...shown }) => (
        <RunsView {...shown} retained={kept} a={a} b={b} retentionMs={ageMs} renderedAt={Date.now()} />
      )}
    </Answer>
  )
}

/** What the run's entries took; nothing for a name that nobody knows. */
function statsOf({ inspector, remember }: Asked, name: string) {
  const { tree } = parseFilter(termText("run", name), inspector.runs.lookup)
  return remember(`run ${name}`, async ({ traces }) => (tree === undefined ? [] : traces.entryStats({ filter: tree })))
}
