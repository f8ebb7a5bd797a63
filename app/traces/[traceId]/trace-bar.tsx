"use client"

import { useMemo } from "react"
import { formatValue } from "#app/_ui/chart/chart-formats.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { openKeySheet } from "#app/_ui/input/use-key-hints.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import { coveredBy } from "#otel/inspector/queries/trace/self-time.ts"
import { isWhole } from "./_state/time-window.ts"
import type { TraceActions } from "./_state/use-trace-actions.ts"
import type { TraceState } from "./_state/use-trace.ts"
import styles from "./trace-bar.module.css"

interface TraceBarProps {
  readonly state: TraceState
  readonly actions: TraceActions
}

/** Toolbar: search, errors, views and zoom. */
export function TraceBar(props: TraceBarProps) {
  const { address, change, failed, pieces } = props.state
  const { toError } = props.actions
  return (
    <div className={styles.bar} role="toolbar" aria-label="Trace">
      <SearchBox {...props} />
      {failed.length > 0 && (
        <span className={styles.group}>
          <button type="button" onClick={() => toError(-1)} title="Previous error ([)">
            ‹<span className="visually-hidden"> Previous error</span>
          </button>
          <button type="button" onClick={() => toError(1)} title="Next error (])">
            Next error
          </button>
        </span>
      )}
      <span className={styles.group}>
        <button type="button" aria-pressed={address.view === "tree"} onClick={() => change({ view: "tree" })}>
          Tree
        </button>
        <button type="button" aria-pressed={address.view === "flame"} onClick={() => change({ view: "flame" })}>
          Flame graph
        </button>
        <button
          type="button"
          aria-pressed={address.view === "logs"}
          onClick={() => change({ view: "logs" })}
          title="Log lines of this trace (Shift+L)"
        >
          Logs
        </button>
      </span>
      <button
        type="button"
        aria-pressed={address.path}
        onClick={() => change({ path: !address.path })}
        title="Spans that determine the end of the trace (c)"
      >
        Critical path{pieces !== undefined && `: ${formatDuration(pathDuration(pieces))}`}
      </button>
      <Zoom {...props} />
      <button type="button" className={styles.keys} onClick={() => openKeySheet(true)} title="Keyboard shortcuts (?)">
        ?<span className="visually-hidden"> Keyboard shortcuts</span>
      </button>
    </div>
  )
}

/** Time that spans on the critical path cover, in nanoseconds. */
function pathDuration(pieces: readonly PathPiece[]): bigint {
  return BigInt(Math.round(pieces.reduce((sum, { from, to }) => sum + to - from, 0)))
}

function SearchBox({ state, actions: { toFound } }: TraceBarProps) {
  const { searchBox, address, change, search, table, duration } = state
  const count = search.rows?.length
  return (
    <search className={styles.search}>
      <input
        ref={searchBox}
        type="search"
        aria-label="Search in this trace"
        placeholder="Search: text, attr=value"
        title="Words match name, service and ID. Also: attribute=value, attribute=prefix*, name=, service=, kind=, status=error, duration>10ms"
        value={address.search}
        maxLength={1_000}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change({ search: event.target.value, finding: undefined })}
        onKeyDown={(event) => {
          if (event.key === "Enter") toFound(event.shiftKey ? -1 : 1)
          else if (event.key === "Escape") {
            if (address.search === "") event.currentTarget.blur()
            change({ search: "", finding: undefined })
          } else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <Found search={search} table={table} duration={duration} />
      {(address.search !== "" || search.rows !== undefined) && (
        <>
          <button type="button" onClick={() => toFound(-1)} disabled={!count} title="Previous (N)">
            ↑<span className="visually-hidden"> Previous result</span>
          </button>
          <button type="button" onClick={() => toFound(1)} disabled={!count} title="Next (n)">
            ↓<span className="visually-hidden"> Next result</span>
          </button>
          <label className={styles.only}>
            <input
              type="checkbox"
              checked={address.hides}
              onChange={(event) => change({ hides: event.target.checked })}
            />
            Hide others
          </label>
        </>
      )}
    </search>
  )
}

/** `200 found · 611 ms · 63 %`: the results, their durations together, and the share of the trace that they cover. */
function Found({ search: { rows, state }, table, duration }: Pick<TraceState, "search" | "table" | "duration">) {
  const total = useMemo(
    () => rows && BigInt(Math.round(rows.reduce((sum, row) => sum + (table.duration[row] ?? 0), 0))),
    [rows, table],
  )
  const covered = useMemo(() => rows && coveredBy(rows, table), [rows, table])
  const hasTime = total !== undefined && total > 0n
  return (
    <output
      className={styles.count}
      title="Results, their durations together, and the share of the trace that they cover"
    >
      {state === "loading" && "…"}
      {state === "failed" && "search failed"}
      {rows !== undefined && `${formatCount(rows.length)} found`}
      {hasTime && ` · ${formatDuration(total)}`}
      {hasTime && covered !== undefined && ` · ${formatValue(Math.min(1, covered / duration), "share")}`}
    </output>
  )
}

function Zoom({ state: { window, duration, onWindow }, actions: { zoom } }: TraceBarProps) {
  const isReset = isWhole(window, duration)
  return (
    <span className={styles.group}>
      <button type="button" onClick={() => zoom(0.5)} title="Zoom in (z)">
        +<span className="visually-hidden"> Zoom in</span>
      </button>
      <button type="button" onClick={() => zoom(2)} disabled={isReset} title="Zoom out (x)">
        −<span className="visually-hidden"> Zoom out</span>
      </button>
      <button type="button" onClick={() => onWindow(undefined)} disabled={isReset} title="Reset zoom (0)">
        {isReset ? "Reset zoom" : `Reset zoom (${formatDuration(BigInt(Math.round(window.to - window.from)))})`}
      </button>
    </span>
  )
}
