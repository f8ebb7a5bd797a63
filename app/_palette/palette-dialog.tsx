"use client"

import { useRouter } from "next/navigation"
import { lazy, Suspense, useLayoutEffect, useRef, useState } from "react"
import type { Destination } from "#app/_ui/layout/top-bar.tsx"
import { PALETTE_PLACEHOLDER, PALETTE_TEXT_LIMIT } from "./palette-input.ts"
import styles from "./palette.module.css"

/** Loaded on first use. */
const PaletteMenu = lazy(() => import("#app/_palette/palette-menu.tsx"))

interface PaletteDialogProps {
  readonly destinations: readonly Destination[]
  readonly onClose: () => void
}

/**
 * A native modal `dialog`: it traps and restores focus and closes on Escape. Dialog libraries insert a `style` element, which
 * the content security policy blocks.
 */
export function PaletteDialog({ destinations, onClose }: PaletteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const router = useRouter()
  // A closed dialog restores focus only while it is in the document: an effect would end after it has left.
  useLayoutEffect(() => {
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
      <Suspense fallback={<EarlyInput text={text} onText={setText} />}>
        <PaletteMenu
          destinations={destinations}
          text={text}
          onText={setText}
          onDone={onClose}
          onGo={(href) => {
            onClose()
            router.push(href)
          }}
        />
      </Suspense>
    </dialog>
  )
}

/** Takes what is typed while the menu loads. */
function EarlyInput({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <div className={styles.panel}>
      <input
        value={text}
        onChange={(event) => onText(event.target.value)}
        aria-label="Go to"
        placeholder={PALETTE_PLACEHOLDER}
        maxLength={PALETTE_TEXT_LIMIT}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  )
}
