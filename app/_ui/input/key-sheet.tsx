"use client"

import { useEffect, useRef, useSyncExternalStore } from "react"
import { CloseIcon } from "#app/_ui/format/icons.tsx"
import styles from "./key-sheet.module.css"
import { keyHints, openKeySheet, watchKeySheet } from "./use-key-hints.ts"

/** All keys that the screen has told of, in a dialog that `?` opens. Put once into the layout of all screens. */
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
        <h2 id="key-sheet-title">Keys</h2>
        <button type="button" onClick={() => openKeySheet(false)} title="Close (Esc)">
          <CloseIcon />
          <span className="visually-hidden">Close keys</span>
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

const EVERYWHERE = { title: "Everywhere", hints: [{ keys: ["?"], does: "Show these keys" }] }

/** Whether a key goes into a text: then it is no command. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
}
