"use client"

import { useEffect, useRef, useState } from "react"
import styles from "./import-drop.module.css"
import { ImportStatus } from "./import-status.tsx"
import { useImport } from "./use-import.ts"

/** The event by which a button anywhere asks for a file. */
const ASK = "pagespan:import"

/** Lets a person choose a file to import. */
export function chooseImport(): void {
  window.dispatchEvent(new Event(ASK))
}

/** Takes a file of OTLP/JSON that is dropped anywhere on the window. Put once into the layout of all screens. */
export function ImportDrop() {
  const { state, start, cancel, dismiss } = useImport()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    const listen = (name: string, act: (event: DragEvent) => void) =>
      addEventListener(
        name,
        (event) => {
          if (!(event instanceof DragEvent) || !event.dataTransfer?.types.includes("Files")) return
          event.preventDefault()
          act(event)
        },
        { signal: stop.signal },
      )
    listen("dragenter", () => setOver(true))
    listen("dragover", () => setOver(true))
    // Only what leaves the window has nowhere that it goes to.
    listen("dragleave", (event) => event.relatedTarget === null && setOver(false))
    listen("drop", (event) => {
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) start(file)
    })
    addEventListener(ASK, () => input.current?.click(), { signal: stop.signal })
    return () => stop.abort()
  }, [start])
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Import OTLP/JSON"
        accept=".json,.jsonl,.ndjson,.gz,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) start(file)
          currentTarget.value = ""
        }}
      />
      {isOver && (
        <div className={styles.over}>
          <p>Drop a file of OTLP/JSON to import its spans</p>
        </div>
      )}
      {state !== undefined && <ImportStatus state={state} onCancel={cancel} onDismiss={dismiss} />}
    </>
  )
}

/** Asks for a file of OTLP/JSON, for those who do not drop one. */
export function ImportButton() {
  return (
    <button type="button" className={styles.choose} onClick={chooseImport} title="OTLP/JSON, or drop a file anywhere">
      Import
    </button>
  )
}
