import type { ReactNode } from "react"
import styles from "./scroll-box.module.css"

/** A box with a scroll bar of its own: named, and reachable from the keyboard, without which it could not be scrolled. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={styles.box} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
