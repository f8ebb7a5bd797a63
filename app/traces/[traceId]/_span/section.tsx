import type { ReactNode } from "react"
import { CloseIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./span-panel.module.css"

interface SectionProps {
  readonly title: string
  readonly count: number
  /** Number that the sender reports as dropped. */
  readonly dropped: number
  readonly children: ReactNode
}

export function Section({ title, count, dropped, children }: SectionProps) {
  return (
    <section>
      <h3>
        {title} <small>{formatCount(count)}</small>
        {dropped > 0 && <small className={styles.warning}> · {formatCount(dropped)} dropped by the sender</small>}
      </h3>
      {children}
    </section>
  )
}

export function PanelHeader({ title, onClose }: { readonly title: ReactNode; readonly onClose: () => void }) {
  return (
    <header>
      <h2>{title}</h2>
      <button type="button" className={styles.close} title="Close (Esc)" onClick={onClose}>
        <CloseIcon />
        <span className="visually-hidden">Close span</span>
      </button>
    </header>
  )
}
