"use client"

import Link from "next/link"
import { useEffect, useRef } from "react"
import { useLiveStatus } from "#app/_live/use-live.ts"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { followWhileHidden, notifyTripped } from "#app/_watch/notifications.ts"
import styles from "./watch-badge.module.css"

/** How many watches have tripped: in the top bar and in the title of the tab. Notifies about each, if the visitor wants that. */
export function WatchBadge() {
  const { watches } = useLiveStatus()
  const before = useRef(watches)
  const tripped = watches.filter(({ state }) => state === "tripped").length
  useTitlePrefix(tripped === 0 ? "" : `(${tripped}) `)
  useEffect(() => {
    notifyTripped(before.current, watches)
    before.current = watches
  }, [watches])
  useEffect(followWhileHidden, [])
  return (
    <output className={styles.badge} aria-label="Tripped watches">
      {tripped > 0 && (
        <Link href="/filters" prefetch={false} title="Saved filters and watches">
          <WarningIcon /> {formatCount(tripped)}
          <span className="visually-hidden"> {tripped === 1 ? "watch has" : "watches have"} tripped</span>
        </Link>
      )}
    </output>
  )
}

/** Keeps the prefix in front of the title, which every screen sets for itself. */
function useTitlePrefix(prefix: string): void {
  useEffect(() => {
    if (prefix === "") return undefined
    const mark = () => {
      if (!document.title.startsWith(prefix)) document.title = prefix + document.title
    }
    mark()
    const observer = new MutationObserver(mark)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length)
    }
  }, [prefix])
}
