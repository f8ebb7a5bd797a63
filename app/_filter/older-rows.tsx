"use client"

import Link from "next/link"
import { useRef, useState } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { LANGUAGES } from "./language.ts"
import { listAddress, type ListPath, type ListPlace } from "./list-address.ts"
import styles from "./older-rows.module.css"
import { useApproach } from "./use-approach.ts"

interface OlderRowsProps<Row> {
  readonly path: ListPath
  readonly place: ListPlace
  readonly after: string | undefined
  /** Cursor of the next page. */
  readonly next: string | undefined
  readonly loaded: number
  /** Rows that the page may hold. Without it, those farthest away leave the page. */
  readonly limit?: number
  /** Further parameters of the request, such as `own`, which `place` has only if the URL has it. */
  readonly parameters?: string
  readonly onLoaded: (older: readonly Row[], next: string | undefined) => void
}

/** Rows per request. */
const BATCH = 200

/** Loads the next page when the end of the list comes into view. Without script it is a plain link. */
export function OlderRows<Row>(props: OlderRowsProps<Row>) {
  const { path, place, after, next, loaded, limit, parameters = "", onLoaded } = props
  const { selects } = LANGUAGES[path]
  const isFull = limit !== undefined && loaded >= limit
  const element = useRef<HTMLElement>(null)
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle")
  const load = async () => {
    if (next === undefined || isFull || state === "loading") return
    setState("loading")
    try {
      const response = await fetch(
        `${listAddress({ ...place, own: undefined, after: next, limit: BATCH }, `/api${path}`)}${parameters}`,
      )
      if (!response.ok) throw new Error(`The list answered ${response.status}.`)
      const page = (await response.json()) as Readonly<Record<typeof selects, readonly Row[]>> & { next: string | null }
      onLoaded(page[selects], page.next ?? undefined)
      setState("idle")
    } catch {
      // The link below still works, and its page shows the error.
      setState("failed")
    }
  }
  useApproach(element, state === "idle" ? next : undefined, load)
  return (
    <nav ref={element} aria-label={`Pages of ${selects}`} className={styles.pages}>
      {after !== undefined && (
        <Link href={listAddress({ ...place, after: undefined }, path)} prefetch={false}>
          ← First page
        </Link>
      )}
      {isFull && next !== undefined && <p>A page shows at most {formatCount(limit)} rows.</p>}
      {next !== undefined && (
        <Link href={listAddress({ ...place, after: next }, path)} prefetch={false} className={styles.older}>
          {state === "loading" ? "Loading…" : "Next page →"}
        </Link>
      )}
    </nav>
  )
}
