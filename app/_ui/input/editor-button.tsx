"use client"

import { createContext, type ReactNode, useContext, useState } from "react"
import { actionHeaders } from "#app/_live/action-headers.ts"
import { EditorIcon } from "#app/_ui/format/icons.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import styles from "./icon-button.module.css"

const SourceFiles = createContext(false)

/** @param canOpen whether `PAGESPAN_SOURCE_ROOT` is set, so that the inspector opens source files. */
export function SourceFilesProvider({ canOpen, children }: { canOpen: boolean; children: ReactNode }) {
  return <SourceFiles.Provider value={canOpen}>{children}</SourceFiles.Provider>
}

/**
 * Opens a source file in the editor, on the machine of the inspector. Nothing is shown where source files are not configured.
 *
 * @param place a path, with line and column where they are known: `app/cart.ts:12:7`.
 */
export function EditorButton({ place }: { place: string }) {
  const canOpen = useContext(SourceFiles)
  const [problem, setProblem] = useState("")
  if (!canOpen) return null
  const open = async () => setProblem(await openPlace(place))
  return (
    <>
      <button
        type="button"
        className={styles.button}
        title={`Open ${shownText(place)} in the editor`}
        data-outcome={problem === "" ? undefined : "failed"}
        onClick={() => void open()}
      >
        <EditorIcon />
        <span className="visually-hidden"> Open {shownText(place)} in the editor</span>
      </button>
      <output className={problem === "" ? "visually-hidden" : undefined}>{problem}</output>
    </>
  )
}

/** Resolves with what went wrong; empty when the editor was started. */
async function openPlace(place: string): Promise<string> {
  try {
    const response = await fetch("/open", { method: "POST", body: place, headers: actionHeaders() })
    if (response.ok) return ""
    return ((await response.json()) as { message?: string }).message ?? "The file could not be opened."
  } catch {
    return "The inspector does not respond."
  }
}
