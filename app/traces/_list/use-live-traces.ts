"use client"

import { useEffect, useRef, useState } from "react"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { useLiveRefresh } from "#app/_live/use-live-refresh.ts"
import { useLive } from "#app/_live/use-live.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { listOf, type ListRule, released, withDeltas, withMissed, withOlder, withPage } from "./list-state.ts"

const REFRESH_MS = 3_000

export interface LiveTracesOptions {
  /** The page from the server; a new object for each query. */
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the next page. */
  readonly next: string | undefined
  /** Filter of the list, as text. */
  readonly filter: string
  readonly own: InternalTelemetry
  readonly rule: ListRule
  /** Whether the user is reading, so that rows must not move. */
  readonly reading: boolean
  /** False for an older page, which does not update. */
  readonly isLive: boolean
}

/** State of the list, changed by the live feed, pages from the server, older pages and the user. */
export function useLiveTraces({ traces, next, filter, own, rule, reading, isLive }: LiveTracesOptions) {
  const [list, setList] = useState(() => listOf({ traces, next }))
  const { refresh, arrived } = useLiveRefresh(own, REFRESH_MS, reading || !isLive)

  const [readFrom, setReadFrom] = useState(traces)
  if (readFrom !== traces) {
    setReadFrom(traces)
    setList(withPage(list, { traces, next }, rule, reading))
  }
  useLive({
    selection: selectionOf(filter, own),
    traces: (deltas, others) => {
      if (!isLive) return
      setList((before) => withDeltas(before, { traces: deltas, others }, rule, reading))
      // New spans that do not match may remove a row from the list. Only the server knows.
      const shown = new Set(list.rows.map(({ traceId }) => traceId))
      if (others.some(({ traceId }) => shown.has(traceId))) refresh()
      else arrived([...deltas, ...others])
    },
    // A page has the numbers of reported errors, which the deltas of traces lack.
    errors: () => {
      if (isLive) refresh()
    },
    skipped: () => setList(withMissed),
    resumed: () => {
      setList(withMissed)
      refresh()
    },
  })
  const latestRule = useRef(rule)
  useEffect(() => {
    latestRule.current = rule
  })
  useEffect(() => {
    if (!reading) setList((before) => released(before, latestRule.current))
  }, [reading])

  const showNew = () => {
    // In another order nothing that waits enters the list: the refresh shows it.
    setList((before) => ({ ...released(before, rule), waiting: new Map() }))
    refresh()
    window.scrollTo({ top: 0 })
  }
  const addOlder = (older: readonly TraceSummaryJson[], following: string | undefined) => {
    setList((before) => withOlder(before, { traces: older, next: following }, list.end, rule))
  }
  return { list, showNew, addOlder }
}

/** Parameters of the live feed. The server leaves out internal telemetry: a term would count against the limit of a filter. */
function selectionOf(filter: string, { isHidden }: InternalTelemetry): string {
  return new URLSearchParams({ ...(filter !== "" && { q: filter }), ...(isHidden && { own: "hide" }) }).toString()
}
