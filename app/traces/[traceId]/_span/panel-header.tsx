import type { ReactNode } from "react"
import { CloseIcon } from "#app/ui/icons.tsx"
import styles from "./span-panel.module.css"

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
