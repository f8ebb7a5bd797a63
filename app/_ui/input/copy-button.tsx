"use client"

import { useEffect, useState } from "react"
import { CopyIcon, DoneIcon } from "#app/_ui/format/icons.tsx"
import styles from "./copy-button.module.css"

const SAID_FOR_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** What is copied, to tell the buttons apart: `trace id`. */
  readonly what: string
  /** Shows the word beside the icon. */
  readonly labelled?: boolean
}

export function CopyButton({ text, what, labelled = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused">()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), SAID_FOR_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = () => {
    void writeToClipboard(text).then((done) => setOutcome(done ? "copied" : "refused"))
  }
  const word = outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed" : "Copy"
  return (
    <button type="button" className={styles.copy} onClick={copy} title={`${word} ${what}`} data-outcome={outcome}>
      {outcome === "copied" ? <DoneIcon /> : <CopyIcon />}
      <span className={labelled ? undefined : "visually-hidden"}>{word}</span>
      <span className="visually-hidden"> {what}</span>
      <output className="visually-hidden">{outcome === undefined ? "" : word}</output>
    </button>
  )
}

/** The clipboard exists in secure contexts only, and the browser may refuse it: both are told to the person by the button. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
