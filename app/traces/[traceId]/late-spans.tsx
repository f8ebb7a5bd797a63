"use client"

import { useRouter } from "next/navigation"
import { useState } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { countOf } from "#app/_ui/format/quantity.ts"
import type { WaterfallColumns } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import styles from "./trace-screen.module.css"

/** Offers spans that arrived after the page loaded, instead of moving rows by itself. */
export function LateSpans({ traceId, waterfall }: { traceId: string; waterfall: WaterfallColumns }) {
  const router = useRouter()
  const [late, setLate] = useState({ waterfall, count: 0 })
  if (late.waterfall !== waterfall) setLate({ waterfall, count: 0 })
  useLive({
    traces: (deltas) => {
      const count = deltas.reduce((sum, delta) => sum + (delta.traceId === traceId ? delta.spanCount : 0), 0)
      if (count > 0) setLate((before) => ({ ...before, count: before.count + count }))
    },
  })
  if (late.count === 0) return null
  return (
    <output className={styles.late}>
      {countOf(late.count, "more span")} arrived.{" "}
      <button type="button" onClick={() => router.refresh()}>
        Show
      </button>
    </output>
  )
}
