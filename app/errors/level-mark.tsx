import { ErrorIcon, NoteIcon, WarningIcon } from "#app/ui/icons.tsx"
import styles from "./marks.module.css"

/** How bad: by shape, by colour and by the word that is read aloud. */
export function LevelMark({ level, named = false }: { level: string; named?: boolean }) {
  return (
    <span className={styles.level} data-level={level} title={level}>
      {level === "warning" ? <WarningIcon /> : level === "fatal" || level === "error" ? <ErrorIcon /> : <NoteIcon />}
      <span className={named ? undefined : "visually-hidden"}>{level}</span>
    </span>
  )
}
