"use client"

import { useEffect, useRef, useState } from "react"
import { actionHeaders } from "#app/_live/action-headers.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./slow-query.module.css"

interface SlowQueryProps {
  /** `undefined` where the query cannot be cancelled. */
  readonly id: string | undefined
  /** Resolves when the query settles. */
  readonly ended: Promise<void>
}

const TICK_MS = 1_000

/**
 * Shows how long a query has been running, and cancels it: on request, and when the user navigates away, since browsers do not
 * always abort the request.
 */
export function SlowQuery({ id, ended }: SlowQueryProps) {
  const [seconds, setSeconds] = useState(0)
  const [state, setState] = useState<"running" | "cancelling" | "ended">("running")
  const isOpen = useRef(true)
  useEffect(() => {
    let isShown = true
    const close = () => {
      isOpen.current = false
      if (isShown) setState("ended")
    }
    void ended.then(close)
    const timer = setInterval(() => setSeconds((before) => before + 1), TICK_MS)
    const cancelIfOpen = () => isOpen.current && cancel(id)
    addEventListener("pagehide", cancelIfOpen)
    return () => {
      isShown = false
      clearInterval(timer)
      removeEventListener("pagehide", cancelIfOpen)
      cancelIfOpen()
    }
  }, [id, ended])
  // Shows nothing for a query that settled before it was shown, or within the first second.
  if (state === "ended" || seconds === 0) return null
  const onCancel = () => {
    setState("cancelling")
    cancel(id)
  }
  return (
    <div className={styles.running}>
      <progress aria-label="Query running" />
      <output>{state === "cancelling" ? "Cancelling…" : `Query running… ${formatCount(seconds)} s`}</output>
      {id !== undefined && (
        <button type="button" disabled={state === "cancelling"} onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  )
}

/** `keepalive` delivers the request after the page is gone. The response is irrelevant. */
function cancel(id: string | undefined): void {
  if (id === undefined) return
  fetch(`/api/queries/${id}`, { method: "DELETE", keepalive: true, headers: actionHeaders() }).catch(() => undefined)
}
