"use client"

import { useLive, useLiveStatus } from "#app/_live/use-live.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./live-light.module.css"

const WORDS = { connecting: "Connecting", live: "Live", offline: "Reconnecting" }

/** Whether what arrives is shown at once, and how much of it the server left out to keep the page responsive. */
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
