"use client"

import { useEffect, useRef, useState, type ReactNode } from "react"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import { useLive } from "#app/feed/use-live.ts"
import { useReading } from "#app/feed/use-reading.ts"
import { useRefresh } from "#app/feed/use-refresh.ts"
import { listOf, released, WAITING_LIMIT, withDeltas, withReading, type ListFilter } from "#app/traces/list-state.ts"
import { TraceTable } from "#app/traces/trace-table.tsx"
import { countOf, formatCount } from "#app/ui/format-count.ts"
import { serviceColours } from "#app/ui/service-colours.ts"
import styles from "./live-list.module.css"

const REFRESH_MS = 3_000

interface LiveListProps {
  readonly traces: readonly TraceSummaryJson[]
  readonly filter: ListFilter
  readonly renderedAt: number
  /** Shown while there is no trace. */
  readonly children: ReactNode
}

/** The list as the server read it, kept current; it holds still while somebody reads it and offers what is new in a pill. */
export function LiveList({ traces, filter, renderedAt, children }: LiveListProps) {
  const { area, top, reading } = useReading()
  const [list, setList] = useState(() => listOf(traces))
  const refresh = useRefresh(REFRESH_MS, reading)

  const [readFrom, setReadFrom] = useState(traces)
  if (readFrom !== traces) {
    setReadFrom(traces)
    setList(withReading(list, traces, reading))
  }
  useLive({
    traces: (deltas) => {
      setList((before) => withDeltas(before, deltas, filter, reading))
      refresh()
    },
    resumed: refresh,
  })
  const wasReading = useRef(reading)
  useEffect(() => {
    if (wasReading.current && !reading) setList(released)
    wasReading.current = reading
  }, [reading])

  const showNew = () => {
    setList(released)
    window.scrollTo({ top: 0 })
  }
  const count = list.waiting.size
  return (
    <div ref={area} className={styles.list}>
      <div ref={top} />
      {count > 0 && (
        <button type="button" className={styles.pill} onClick={showNew}>
          {count < WAITING_LIMIT ? `${formatCount(count)} new` : `${formatCount(count)} or more new`}
        </button>
      )}
      {list.rows.length === 0 ? (
        children
      ) : (
        <TraceTable
          colours={serviceColours(list.rows.flatMap(({ services }) => services))}
          traces={list.rows}
          caption={`Latest ${countOf(list.rows.length, "trace")}`}
          renderedAt={renderedAt}
        />
      )}
    </div>
  )
}
