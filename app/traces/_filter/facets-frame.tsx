"use client"

import { type ReactNode, useState } from "react"
import styles from "./facets.module.css"

/** Beside the list where there is room; on a narrow screen above it, and closed until it is asked for. */
export function FacetsFrame({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <aside aria-label="Narrow down" className={styles.facets} data-open={isOpen}>
      <button type="button" aria-expanded={isOpen} aria-controls="facets" onClick={() => setOpen(!isOpen)}>
        Narrow down
      </button>
      <div id="facets">{children}</div>
    </aside>
  )
}
