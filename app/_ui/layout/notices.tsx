import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import styles from "./notices.module.css"

/** Warnings about the content of the screen, one sentence each. */
export function Notices({ notices }: { notices: readonly string[] }) {
  if (notices.length === 0) return null
  return (
    <ul className={styles.notices} aria-label="Notices">
      {notices.map((notice) => (
        <li key={notice}>
          <WarningIcon /> <span>{shownText(notice)}</span>
        </li>
      ))}
    </ul>
  )
}
