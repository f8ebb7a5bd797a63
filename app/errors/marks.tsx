import { ErrorIcon, NoteIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import styles from "./marks.module.css"

/** The level as shape, colour and text. */
export function LevelMark({ level, named = false }: { level: string; named?: boolean }) {
  return (
    <span className={styles.level} data-level={level} title={level}>
      {level === "warning" ? <WarningIcon /> : level === "fatal" || level === "error" ? <ErrorIcon /> : <NoteIcon />}
      <span className={named ? undefined : "visually-hidden"}>{level}</span>
    </span>
  )
}

/** Whether the application caught the error; nothing when the SDK did not say. */
export function HandledMark({ handled }: { handled: boolean | null }) {
  if (handled === null) return null
  return (
    <span className={styles.handled} data-handled={handled}>
      {handled ? "handled" : "unhandled"}
    </span>
  )
}
