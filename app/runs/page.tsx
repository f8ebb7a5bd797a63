import type { Metadata } from "next"
import { connection } from "next/server"
import { getInspector } from "#otel/inspector/instance.ts"
import { compareRuns } from "#otel/query/compare-runs.ts"
import type { TraceReader } from "#otel/query/trace-reader.ts"
import { parseFilter, termText } from "#otel/query/filter/index.ts"
import { fromStore } from "#app/feed/from-store.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import { RunsView } from "#app/runs/runs-view.tsx"
import { searchParameters, type PageParameters } from "#app/ui/search-parameters.ts"

export const metadata: Metadata = { title: "Runs" }

export default async function RunsPage({ searchParams }: { searchParams: Promise<PageParameters> }) {
  await connection()
  const parameters = searchParameters(await searchParams)
  const [a, b] = [parameters.get("a") ?? "", parameters.get("b") ?? ""]
  const { runs, remembered } = getInspector()
  const shown = await fromStore(async (traces) => {
    const [kept, starts] = await Promise.all([runs.refresh(), remembered.get("app starts", () => traces.appStarts())])
    if (a === "" || b === "") return { kept, starts, comparison: undefined }
    const [ofA, ofB] = await Promise.all([statsOf(traces, a), statsOf(traces, b)])
    return { kept, starts, comparison: compareRuns(ofA, ofB) }
  })
  if (shown === undefined) return <StoreStarting />
  return <RunsView {...shown} a={a} b={b} renderedAt={Date.now()} />
}

/** What the run's entries took; nothing for a name that nobody knows. */
function statsOf(traces: TraceReader, name: string) {
  const { runs, remembered } = getInspector()
  const { tree } = parseFilter(termText("run", name), runs.lookup)
  return remembered.get(`run ${name}`, async () => (tree === undefined ? [] : traces.entryStats({ filter: tree })))
}
