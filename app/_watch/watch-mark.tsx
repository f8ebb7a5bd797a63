"use client"

import { Age } from "#app/_ui/format/age.tsx"
import { DoneIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import { measuredText } from "#app/_watch/watch-text.ts"
import type { WatchState } from "#otel/inspector/queries/saved-filters/watch-state.ts"
import styles from "./watch-mark.module.css"

/** The state of a watch as icon, word and value. */
export function WatchMark({ state }: { state: WatchState | undefined }) {
  if (state === undefined) return <span className={styles.mark}>Measuring…</span>
  const { measure, value, since } = state
  const text = value === null ? "no traces" : measuredText(measure, value)
  if (state.state === "unknown")
    return (
      <span className={styles.mark} data-state="unknown">
        Could not be measured
      </span>
    )
  return (
    <span className={styles.mark} data-state={state.state}>
      {state.state === "tripped" ? <WarningIcon /> : <DoneIcon />} {state.state === "tripped" ? "Tripped" : "OK"}:{" "}
      {text}
      {state.state === "tripped" && since !== null && (
        <small>
          {", "}
          <Age unixNano={`${Date.parse(since)}000000`} renderedAt={Date.parse(since)} suffix />
        </small>
      )}
    </span>
  )
}
