"use client"

import { useMemo, useState } from "react"
import { decodeWaterfall } from "#otel/inspector/queries/trace/columns/waterfall-bytes.ts"
import type { WaterfallColumns } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { readWaterfall, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { useFetched } from "./use-json.ts"

export interface LoadedWaterfall {
  readonly table: WaterfallTable
  /** `loading` while only the first rows are loaded; `failed` when the others could not be loaded. */
  readonly rest: "ready" | "loading" | "failed"
}

/** The first rows from the page, then the full waterfall. A refresh keeps the full one before until its own has arrived. */
export function useWaterfall(traceId: string, first: WaterfallColumns): LoadedWaterfall {
  // The number changes the address after a refresh, so that the waterfall is fetched again.
  const [version, setVersion] = useState({ first, number: 0 })
  if (version.first !== first) setVersion({ first, number: version.number + 1 })
  const isPartial = first.depths.length < first.spanCount
  const result = useFetched(
    isPartial ? `/api/traces/${traceId}/waterfall?version=${version.number}` : undefined,
    readColumns,
  )
  const loaded = typeof result === "object" ? result.value : undefined
  const full = isPartial ? loaded : first
  const [latest, setLatest] = useState(full)
  if (full !== undefined && full !== latest) setLatest(full)
  const columns = full ?? latest ?? first
  const table = useMemo(() => readWaterfall(columns), [columns])
  return { table, rest: typeof result === "string" ? result : "ready" }
}

async function readColumns(response: Response): Promise<WaterfallColumns> {
  return decodeWaterfall(await response.arrayBuffer())
}
