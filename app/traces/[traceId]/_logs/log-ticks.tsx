import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import styles from "./trace-logs.module.css"
import type { LogTick } from "./use-trace-logs.ts"

/** Ticks drawn on one bar at most. */
const TICK_LIMIT = 40

/** Triangles above a bar, for its logs of severity warn and above. */
export function LogTicks({ ticks, window }: { ticks: readonly LogTick[]; window: TimeWindow }) {
  return ticks.slice(0, TICK_LIMIT).map(({ at, severity }, index) => {
    const share = shareOf(window, at)
    return share < 0 || share > 1 ? null : (
      // Several may have the same time.
      // oxlint-disable-next-line react/no-array-index-key
      <svg key={index} x={`${share * 100}%`} y="4%" overflow="visible" className={styles.tick} data-severity={severity}>
        <path d="M-4 0h8l-4 7Z" />
      </svg>
    )
  })
}

/** `2 warnings, 1 error in its logs`. */
export function ticksText(ticks: readonly LogTick[]): string {
  const warnings = ticks.filter(({ severity }) => severity === "warn").length
  const errors = ticks.length - warnings
  const parts = [
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
  ]
  return `${parts.join(" and ")} in its logs`
}
