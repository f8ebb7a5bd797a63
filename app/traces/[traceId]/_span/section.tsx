import type { ReactNode } from "react"
import { formatCount } from "#app/ui/format-count.ts"
import styles from "./span-panel.module.css"

interface SectionProps {
  readonly title: string
  readonly count: number
  /** What the sender says that it left out. */
  readonly dropped: number
  readonly children: ReactNode
}

export function Section({ title, count, dropped, children }: SectionProps) {
  return (
    <section>
      <h3>
        {title} <small>{formatCount(count)}</small>
        {dropped > 0 && <small className={styles.warning}> · {formatCount(dropped)} more left out by the sender</small>}
      </h3>
      {children}
    </section>
  )
}
