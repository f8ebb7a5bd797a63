import { formatValue } from "#app/_ui/chart/chart-formats.ts"
import { ErrorIcon, WarningIcon } from "./icons.tsx"
import { countOf, formatCount } from "./quantity.ts"
import styles from "./share.module.css"

/** `0 %`, `3.1 %`. A share above zero never rounds to zero. */
export function formatShare(part: number, whole: number): string {
  return part === 0 || whole === 0 ? "0\u00A0%" : formatValue(part / whole, "share")
}

/** The share of spans that failed. An icon marks a share above zero, so that colour is not the only signal. */
export function FailedShare({ failed, count }: { readonly failed: number; readonly count: number }) {
  return (
    <span className={styles.share} data-failed={failed > 0} title={`${formatCount(failed)} of ${formatCount(count)}`}>
      {failed > 0 && <ErrorIcon />} {formatShare(failed, count)}
    </span>
  )
}

interface IncompleteShareProps {
  readonly traces: number
  readonly tracesWithMissingParents: number
}

/** The share of traces that are incomplete, above zero with an icon. */
export function IncompleteShare({ traces, tracesWithMissingParents: missing }: IncompleteShareProps) {
  return (
    <span className={styles.share} title={`${formatCount(missing)} of ${countOf(traces, "trace")}`}>
      {missing > 0 && <WarningIcon />} {formatShare(missing, traces)}
    </span>
  )
}
