import type { ReactNode } from "react"
import styles from "./message.module.css"

/** What a screen says when it has nothing else to show: one heading, a sentence or two, and what to do. */
export function Message({ title, children, level = 1 }: { title: string; children?: ReactNode; level?: 1 | 2 }) {
  const Heading = level === 1 ? "h1" : "h2"
  return (
    <div className={styles.message}>
      <Heading className={styles.title}>{title}</Heading>
      {children}
    </div>
  )
}
