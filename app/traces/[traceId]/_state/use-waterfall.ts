"use client"

import { useMemo, useState } from "react"
import type { WaterfallJson } from "#otel/inspector/queries/trace/waterfall-json.ts"
import { readWaterfall, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { useAsked } from "./use-json.ts"

export interface LoadedWaterfall {
  readonly table: WaterfallTable
  /** `asking` while only the first rows are here; `failed` when the others could not be had. */
  readonly rest: "here" | "asking" | "failed"
}

/** The waterfall that came with the page, then the whole of it. */
export function useWaterfall(traceId: string, first: WaterfallJson): LoadedWaterfall {
  // The number makes it another address when the page was read again.
  const [reading, setReading] = useState({ first, number: 0 })
  if (reading.first !== first) setReading({ first, number: reading.number + 1 })
  const isPartial = first.rowsHere < first.spanCount
  const asked = useAsked<WaterfallJson>(
    isPartial ? `/api/traces/${traceId}/waterfall?reading=${reading.number}` : undefined,
  )
  const whole = typeof asked === "object" ? asked.value : undefined
  const table = useMemo(() => readWaterfall(whole ?? first), [whole, first])
  return { table, rest: typeof asked === "string" ? asked : "here" }
}
