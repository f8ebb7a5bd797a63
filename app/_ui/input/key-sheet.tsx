"use client"

import { useEffect, useRef, useSyncExternalStore } from "react"
import { CloseIcon } from "#app/_ui/format/icons.tsx"
import styles from "./key-sheet.module.css"
import { keyHints, openKeySheet, watchKeySheet } from "./use-key-hints.ts"

/** Dialog with the keyboard shortcuts of the screen, opened with `?`. Render it once, in the root layout. */
export function KeySheet() {
  const dialog = useRef<HTMLDialogElement>(null)
  const { groups, isOpen } = useSyncExternalStore(watchKeySheet, keyHints, keyHints)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      openKeySheet(true)
    }
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    if (!isOpen) dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} className={styles.sheet} aria-labelledby="key-sheet-title" onClose={() => openKeySheet(false)}>
      <header>
        <h2 id="key-sheet-title">Keyboard shortcuts</h2>
        <button type="button" onClick={() => openKeySheet(false)} title="Close (Esc)">
          <CloseIcon />
          <span className="visually-hidden">Close keyboard shortcuts</span>
        </button>
      </header>
      <div className={styles.groups}>
        {[...groups, EVERYWHERE].map(({ title, hints }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {hints.map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  )
}

const EVERYWHERE = { title: "Everywhere", hints: [{ keys: ["?"], does: "Show keyboard shortcuts" }] }

/** Whether a key press is text input rather than a shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
}
