"use client"

import { useEffect, useState } from "react"
import { PaletteDialog } from "#app/_palette/palette-dialog.tsx"
import { SearchIcon } from "#app/_ui/format/icons.tsx"
import type { Destination } from "#app/_ui/layout/top-bar.tsx"
import styles from "./palette.module.css"

/** The command palette: a button, and Ctrl+K or Cmd+K anywhere. */
export function Palette({ destinations }: { destinations: readonly Destination[] }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      setOpen((before) => !before)
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [])
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <SearchIcon />
        <span className={styles.word}>Go to…</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      {isOpen && <PaletteDialog destinations={destinations} onClose={() => setOpen(false)} />}
    </>
  )
}
