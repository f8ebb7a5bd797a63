import styles from "./failed-mark.module.css"
import { ErrorIcon } from "./icons.tsx"

/** Stands behind the name of a span that failed. */
export function FailedMark() {
  return (
    <b className={styles.failed}>
      <ErrorIcon /> failed
    </b>
  )
}
