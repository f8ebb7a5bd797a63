"use client"

import { useEffect, useRef, useState } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./slow-query.module.css"

interface LongReadingProps {
  /** `undefined` where it cannot be ended early. */
  readonly id: string | undefined
  /** Resolves when the answer is there. */
  readonly ended: Promise<void>
}

const TICK_MS = 1_000

/**
 * Says that the store is still reading, for how long, and ends it on demand; and by itself when the page goes on to
 * something else, since a browser does not always break off what it asked before.
 */
export function SlowQuery({ id, ended }: LongReadingProps) {
  const [seconds, setSeconds] = useState(0)
  const [state, setState] = useState<"reading" | "stopping" | "ended">("reading")
  const isOpen = useRef(true)
  useEffect(() => {
    let isShown = true
    const close = () => {
      isOpen.current = false
      if (isShown) setState("ended")
    }
    void ended.then(close)
    const timer = setInterval(() => setSeconds((before) => before + 1), TICK_MS)
    const leave = () => isOpen.current && end(id)
    addEventListener("pagehide", leave)
    return () => {
      isShown = false
      clearInterval(timer)
      removeEventListener("pagehide", leave)
      leave()
    }
  }, [id, ended])
  // What was answered by the time that it is shown needs no word; nor does the first second.
  if (state === "ended" || seconds === 0) return null
  const stop = () => {
    setState("stopping")
    end(id)
  }
  return (
    <div className={styles.reading}>
      <progress aria-label="Reading" />
      <output>{state === "stopping" ? "Stopping…" : `The store is reading, for ${formatCount(seconds)} s`}</output>
      {id !== undefined && (
        <button type="button" disabled={state === "stopping"} onClick={stop}>
          Cancel
        </button>
      )}
    </div>
  )
}

/** Kept alive, so that it arrives though the page is gone. An answer of the server would change nothing. */
function end(id: string | undefined): void {
  if (id !== undefined) fetch(`/api/queries/${id}`, { method: "DELETE", keepalive: true }).catch(() => undefined)
}
