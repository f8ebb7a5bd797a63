"use client"

import { LongLogList } from "#app/_logs/log-list.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { TraceState } from "../_state/use-trace.ts"
import styles from "./trace-logs.module.css"
import { TRACE_LOG_LIMIT, useTraceLogs } from "./use-trace-logs.ts"

interface TraceLogsProps {
  readonly traceId: string
  /** Start of the trace, in nanoseconds since the epoch. */
  readonly start: string
  readonly state: TraceState
}

/** The logs of the trace by time. A click selects the span of a line. */
export function TraceLogs({ traceId, start, state: { address, open } }: TraceLogsProps) {
  const { logs, state, more } = useTraceLogs(traceId)
  const isFull = logs.length >= TRACE_LOG_LIMIT
  return (
    <div className={styles.view} aria-busy={state === "loading"}>
      <LongLogList
        label="Logs of this trace"
        logs={logs}
        from={start}
        hrefOf={({ spanId }) => (spanId === null ? undefined : `?span=${spanId}&view=logs`)}
        onSelect={open}
        selected={address.span}
      >
        <div className={styles.end}>
          {state === "loading" && <output>Loading…</output>}
          {state === "ready" && logs.length === 0 && <NoLogs />}
          {state === "failed" && <p role="alert">The logs could not be loaded.</p>}
          {more !== undefined && (
            <button type="button" onClick={more}>
              {state === "failed" ? "Retry" : "Load more"}
            </button>
          )}
          {isFull && <p>The first {formatCount(logs.length)} lines.</p>}
        </div>
      </LongLogList>
    </div>
  )
}

function NoLogs() {
  return <p>No log has the ID of this trace. Logs get it when they are written while a span is active.</p>
}
