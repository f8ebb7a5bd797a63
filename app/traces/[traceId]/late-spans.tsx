"use client"

import { useRouter } from "next/navigation"
import { useEffect, useState } from "react"
import { useLive, useLiveStatus } from "#app/_live/use-live.ts"
import { countOf } from "#app/_ui/format/quantity.ts"
import type { WaterfallColumns } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { fetchJson } from "./_state/use-json.ts"
import styles from "./trace-screen.module.css"

/** By then the store, and each of its replicas, has what arrived before the live connection was open. */
const STORED_MS = 4_000

/**
 * Offers spans that arrived after the page loaded, instead of moving rows by itself. Those that arrived without a live connection,
 * such as while the tab was hidden, are counted in the store.
 */
export function LateSpans({ traceId, waterfall }: { traceId: string; waterfall: WaterfallColumns }) {
  const router = useRouter()
  const [late, setLate] = useState({ waterfall, count: 0 })
  if (late.waterfall !== waterfall) setLate({ waterfall, count: 0 })
  const { state } = useLiveStatus()
  useEffect(() => {
    if (state !== "live") return undefined
    const stop = new AbortController()
    const catchUp = async () => {
      const figures = await fetchJson<{ spans: number }>(`/api/traces/${traceId}/figures`, stop.signal)
      const missed = (figures?.spans ?? 0) - waterfall.stored
      if (stop.signal.aborted) return
      setLate((before) => (before.count < missed ? { ...before, count: missed } : before))
    }
    const timer = setTimeout(() => void catchUp(), STORED_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [state, traceId, waterfall])
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
