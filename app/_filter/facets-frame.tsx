"use client"

import { type ReactNode, useState } from "react"
import styles from "./facets.module.css"

/** A side bar on wide screens; on narrow screens a panel above the list, closed by default. */
export function FacetsFrame({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <aside aria-label="Filters" className={styles.facets} data-open={isOpen}>
      <button type="button" aria-expanded={isOpen} aria-controls="facets" onClick={() => setOpen(!isOpen)}>
        Filters
      </button>
      <div id="facets">{children}</div>
    </aside>
  )
}
