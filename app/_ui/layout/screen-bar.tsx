import type { ReactNode } from "react"
import styles from "./screen-bar.module.css"

/** The line above a screen's content: what is shown of what, and the ways to choose. */
export function ScreenBar({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.title}>{title}</h1>
      {children}
    </div>
  )
}
