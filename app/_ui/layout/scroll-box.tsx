import type { ReactNode } from "react"
import styles from "./scroll-box.module.css"

interface ScrollBoxProps {
  readonly label: string
  /** For what is wide rather than long: a table in a narrow window. */
  readonly sideways?: boolean
  readonly children: ReactNode
}

/** A box with a scroll bar of its own: named, and reachable from the keyboard, without which it could not be scrolled. */
export function ScrollBox({ label, sideways = false, children }: ScrollBoxProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={sideways ? styles.sideways : styles.box} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
