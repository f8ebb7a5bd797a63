"use client"

import { useEffect, useRef, useState } from "react"
import styles from "./import-drop.module.css"
import { ImportStatus } from "./import-status.tsx"
import { useImport } from "./use-import.ts"

/** Event that opens the file picker. */
const CHOOSE_EVENT = "pagespan:import"

/** Opens the file picker of `ImportDrop`. */
function chooseImport(): void {
  window.dispatchEvent(new Event(CHOOSE_EVENT))
}

/** Imports an OTLP/JSON file dropped anywhere on the window. Render it once, in the root layout. */
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
    // `relatedTarget` is null only when the pointer leaves the window.
    listen("dragleave", (event) => event.relatedTarget === null && setOver(false))
    listen("drop", (event) => {
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) start(file)
    })
    addEventListener(CHOOSE_EVENT, () => input.current?.click(), { signal: stop.signal })
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
          <p>Drop an OTLP/JSON file to import its spans and logs</p>
        </div>
      )}
      {state !== undefined && <ImportStatus state={state} onCancel={cancel} onDismiss={dismiss} />}
    </>
  )
}

/** Opens the file picker for an OTLP/JSON file. */
export function ImportButton() {
  return (
    <button type="button" className={styles.choose} onClick={chooseImport} title="OTLP/JSON, or drop a file anywhere">
      Import
    </button>
  )
}
