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
 * A native modal `dialog`: it traps and restores focus and closes on Escape. Dialog libraries insert a `style` element, which
 * the content security policy blocks.
 */
export default function PaletteDialog({ destinations, onClose }: PaletteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const router = useRouter()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    // By itself it would focus the root of the menu, and typing would be lost.
    element?.querySelector("input")?.focus()
    return () => element?.close()
  }, [])
  return (
    // A click on the backdrop closes it, as Escape does.
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
