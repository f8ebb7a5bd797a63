"use client"

import { useRouter } from "next/navigation"
import { useEffect, useRef } from "react"
import { PaletteMenu } from "#app/_palette/palette-menu.tsx"
import type { Destination } from "#app/_ui/layout/top-bar.tsx"
import styles from "./palette.module.css"

interface PaletteDialogProps {
  readonly destinations: readonly Destination[]
  readonly onClose: () => void
}

/**
 * The browser's own modal dialog: it keeps the focus inside, gives it back, and closes at Escape. Libraries for it put a
 * style element into the page, which the content security policy refuses.
 */
export default function PaletteDialog({ destinations, onClose }: PaletteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const router = useRouter()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    // A click beside the panel closes it, as Escape does for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <PaletteMenu
        destinations={destinations}
        onDone={onClose}
        onGo={(href) => {
          onClose()
          router.push(href)
        }}
      />
    </dialog>
  )
}
