import styles from "./marks.module.css"

/** Whether the application caught it; nothing where nobody said. */
export function HandledMark({ handled }: { handled: boolean | null }) {
  if (handled === null) return null
  return (
    <span className={styles.handled} data-handled={handled}>
      {handled ? "handled" : "not handled"}
    </span>
  )
}
