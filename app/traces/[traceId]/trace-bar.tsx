"use client"

import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { openKeySheet } from "#app/_ui/input/use-key-hints.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import { isWhole } from "./_state/time-window.ts"
import type { TraceActs } from "./_state/use-trace-actions.ts"
import type { TraceState } from "./_state/use-trace.ts"
import styles from "./trace-bar.module.css"

interface TraceBarProps {
  readonly state: TraceState
  readonly acts: TraceActs
}

/** Search, errors, views and zoom. */
export function TraceBar(props: TraceBarProps) {
  const { address, change, failed, pieces, duration } = props.state
  const { toError } = props.acts
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
          Flame
        </button>
      </span>
      <button
        type="button"
        aria-pressed={address.path}
        onClick={() => change({ path: !address.path })}
        title="What the end of the trace waited for (c)"
      >
        Critical path{pieces !== undefined && ` ${Math.round(shareOfPath(pieces, duration) * 100)} %`}
      </button>
      <Zoom {...props} />
      <button type="button" className={styles.keys} onClick={() => openKeySheet(true)} title="Keys (?)">
        ?<span className="visually-hidden"> Keys</span>
      </button>
    </div>
  )
}

/** Of the length of the trace, the part that some span explains. */
function shareOfPath(pieces: readonly PathPiece[], duration: number): number {
  return pieces.reduce((sum, { from, to }) => sum + to - from, 0) / duration
}

function SearchBox({ state: { searchBox, address, change, search }, acts: { toFound } }: TraceBarProps) {
  const count = search.rows?.length
  return (
    <search className={styles.search}>
      <input
        ref={searchBox}
        type="search"
        aria-label="Search in this trace"
        placeholder="Search: text, attr=value"
        title="Words are looked for in name, service and id. attribute=value, attribute=begin*, name=, service=, kind=, status=error, duration>10ms"
        value={address.search}
        maxLength={1_000}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change({ search: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter") toFound(event.shiftKey ? -1 : 1)
          else if (event.key === "Escape") {
            if (address.search === "") event.currentTarget.blur()
            change({ search: "" })
          } else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <output className={styles.count}>
        {search.state === "asking" && "…"}
        {search.state === "failed" && "no answer"}
        {count !== undefined && `${formatCount(count)} found`}
      </output>
      {address.search !== "" && (
        <>
          <button type="button" onClick={() => toFound(-1)} disabled={!count} title="Previous (N)">
            ↑<span className="visually-hidden"> Previous found</span>
          </button>
          <button type="button" onClick={() => toFound(1)} disabled={!count} title="Next (n)">
            ↓<span className="visually-hidden"> Next found</span>
          </button>
          <label className={styles.only}>
            <input
              type="checkbox"
              checked={address.hides}
              onChange={(event) => change({ hides: event.target.checked })}
            />
            Hide the rest
          </label>
        </>
      )}
    </search>
  )
}

function Zoom({ state: { window, duration, onWindow }, acts: { look } }: TraceBarProps) {
  const whole = isWhole(window, duration)
  return (
    <span className={styles.group}>
      <button type="button" onClick={() => look(0.5)} title="Look closer (z)">
        +<span className="visually-hidden"> Look closer</span>
      </button>
      <button type="button" onClick={() => look(2)} disabled={whole} title="Look further (x)">
        −<span className="visually-hidden"> Look further</span>
      </button>
      <button type="button" onClick={() => onWindow(undefined)} disabled={whole} title="The whole trace (0)">
        {whole ? "Whole" : `${formatDuration(BigInt(Math.round(window.to - window.from)))} · reset`}
      </button>
    </span>
  )
}
