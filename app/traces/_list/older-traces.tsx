"use client"

import Link from "next/link"
import { useEffect, useRef, useState } from "react"
import { listAddress, type ListPlace } from "./list-address.ts"
import { ROW_LIMIT } from "./list-state.ts"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./live-list.module.css"

interface OlderTracesProps {
  readonly place: ListPlace
  readonly after: string | undefined
  /** The filter that the read API is asked with: it hides nothing by itself. */
  readonly question: string
  /** Cursor of the page that follows what is shown. */
  readonly next: string | undefined
  readonly loaded: number
  readonly onLoaded: (older: readonly TraceSummaryJson[], next: string | undefined) => void
}

/** Rows asked for at once: some screens full. */
const BATCH = 200

/** Loads what follows when its end comes into sight. It is a link to the next page as well, for who has no script. */
export function OlderTraces({ place, after, question, next, loaded, onLoaded }: OlderTracesProps) {
  const element = useRef<HTMLElement>(null)
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle")
  const isFull = loaded >= ROW_LIMIT
  const load = async () => {
    if (next === undefined || isFull || state === "loading") return
    setState("loading")
    try {
      const response = await fetch(
        listAddress({ ...place, filter: question, after: next, limit: BATCH }, "/api/traces"),
      )
      if (!response.ok) throw new Error(`The list answered ${response.status}.`)
      const page = (await response.json()) as { traces: TraceSummaryJson[]; next: string | null }
      onLoaded(page.traces, page.next ?? undefined)
      setState("idle")
    } catch {
      // The link below is the way on: it asks for the page itself, which says what is wrong.
      setState("failed")
    }
  }
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  // Made anew for each page that came: an end that is still in sight asks for the next one.
  useEffect(() => {
    if (element.current === null || next === undefined || state !== "idle") return undefined
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void latest.current(), {
      rootMargin: "600px",
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [next, state])
  return (
    <nav ref={element} aria-label="Pages of traces" className={styles.pages}>
      {after !== undefined && (
        <Link href={listAddress({ ...place, after: undefined })} prefetch={false}>
          ← Back to the first
        </Link>
      )}
      {isFull && next !== undefined && <p>{formatCount(ROW_LIMIT)} rows are the most that one page holds.</p>}
      {next !== undefined && (
        <Link href={listAddress({ ...place, after: next })} prefetch={false} className={styles.older}>
          {state === "loading" ? "Loading…" : "Next page →"}
        </Link>
      )}
    </nav>
  )
}
