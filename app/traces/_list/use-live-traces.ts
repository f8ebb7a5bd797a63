"use client"

import { useEffect, useRef, useState } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { useRefresh } from "#app/_live/use-refresh.ts"
import { listOf, type ListRule, released, withDeltas, withOlder, withReading } from "./list-state.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

const REFRESH_MS = 3_000
/** Counts over many traces are kept by the server for a while, which is over this long after the last that came. */
const SETTLED_MS = 8_000

export interface LiveTracesOptions {
  /** The page as the server read it; another object whenever it was read again. */
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the page behind these. */
  readonly next: string | undefined
  /** What the feed is asked for: the filter as text. */
  readonly question: string
  readonly rule: ListRule
  /** Whether somebody is at the list, so that it has to hold still. */
  readonly reading: boolean
  /** An older page stays as it was read. */
  readonly isLive: boolean
}

/** The list's state with all that changes it: the feed, the server's readings, older pages, and the reader. */
export function useLiveTraces({ traces, next, question, rule, reading, isLive }: LiveTracesOptions) {
  const [list, setList] = useState(() => listOf(traces))
  const [end, setEnd] = useState(next)
  const refreshSoon = useRefresh(REFRESH_MS, reading || !isLive)
  const refreshLater = useRefresh(SETTLED_MS, reading || !isLive, true)
  const refresh = () => {
    refreshSoon()
    refreshLater()
  }

  const [readFrom, setReadFrom] = useState(traces)
  if (readFrom !== traces) {
    setReadFrom(traces)
    setList(withReading(list, traces, rule, reading))
    if (list.rows.length <= traces.length) setEnd(next)
  }
  useLive({
    question,
    traces: (deltas, others) => {
      if (!isLive) return
      setList((before) => withDeltas(before, { traces: deltas, others }, rule, reading))
      refresh()
    },
    resumed: refresh,
  })
  const latestRule = useRef(rule)
  useEffect(() => {
    latestRule.current = rule
  })
  useEffect(() => {
    if (!reading) setList((before) => released(before, latestRule.current))
  }, [reading])

  const showNew = () => {
    setList((before) => (rule.isNewestFirst ? released(before, rule) : listOf(before.held ?? before.rows)))
    refresh()
    window.scrollTo({ top: 0 })
  }
  const addOlder = (older: readonly TraceSummaryJson[], following: string | undefined) => {
    setList((before) => withOlder(before, older))
    setEnd(following)
  }
  return { list, end, showNew, addOlder }
}
