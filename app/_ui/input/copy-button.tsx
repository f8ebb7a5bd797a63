"use client"

import { useEffect, useState } from "react"
import { CopyIcon, DoneIcon } from "#app/_ui/format/icons.tsx"
import styles from "./icon-button.module.css"

const FEEDBACK_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for the accessible name: `trace ID`. */
  readonly what: string
  /** Shows the label next to the icon. */
  readonly labelled?: boolean
  /** Shows also what is copied, where several buttons are side by side. */
  readonly visibleWhat?: boolean
}

export function CopyButton({ text, what, visibleWhat = false, labelled = visibleWhat }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "failed">()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), FEEDBACK_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = () => {
    void writeToClipboard(text).then((done) => setOutcome(done ? "copied" : "failed"))
  }
  const word = outcome === "copied" ? "Copied" : outcome === "failed" ? "Copy failed" : "Copy"
  return (
    <button
      type="button"
      className={styles.button}
      onClick={copy}
      title={`${word} ${what}`}
      data-outcome={outcome}
      data-icon={!labelled || undefined}
    >
      {outcome === "copied" ? <DoneIcon /> : <CopyIcon />}
      <span className={labelled ? undefined : "visually-hidden"}>{word}</span>
      <span className={visibleWhat ? undefined : "visually-hidden"}> {what}</span>
      <output className="visually-hidden">{outcome === undefined ? "" : word}</output>
    </button>
  )
}

/** False outside secure contexts, or when the browser denies access. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
