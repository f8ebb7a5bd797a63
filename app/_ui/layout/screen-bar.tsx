import type { ReactNode } from "react"
import styles from "./screen-bar.module.css"

/** Title bar of a screen, with its filters. */
export function ScreenBar({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.title}>{title}</h1>
      {children}
    </div>
  )
}
