"use client"

import { useLive, useLiveStatus } from "#app/_live/use-live.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./live-light.module.css"

const WORDS = { connecting: "Connecting", live: "Live", offline: "Reconnecting" }

/** State of the live connection, and how many traces the live view skipped. */
export function LiveLight() {
  useLive({})
  const { state, skipped } = useLiveStatus()
  return (
    <div className={styles.light} data-state={state}>
      {skipped > 0 && <span className={styles.skipped}>{formatCount(skipped)} not shown live</span>}
      <span className={styles.dot} aria-hidden="true" />
      <output aria-label="Live connection">{WORDS[state]}</output>
    </div>
  )
}
