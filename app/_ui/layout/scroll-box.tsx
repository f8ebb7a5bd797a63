import type { ReactNode } from "react"
import styles from "./scroll-box.module.css"

interface ScrollBoxProps {
  readonly label: string
  /** Scrolls horizontally, for wide tables. */
  readonly sideways?: boolean
  readonly children: ReactNode
}

/** A scrollable region. It has a name and is focusable, so that the keyboard can scroll it. */
export function ScrollBox({ label, sideways = false, children }: ScrollBoxProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={sideways ? styles.sideways : styles.box} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
