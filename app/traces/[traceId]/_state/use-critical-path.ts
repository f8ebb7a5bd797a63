import { useEffect, useMemo, useState } from "react"
import { criticalPath, type PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

/** From this many spans the path takes longer than a frame: 300 ms of a million. */
const LARGE = 50_000

/** The critical path; `undefined` while hidden. That of a large trace is found while the page is idle, so that its key answers at once. */
export function useCriticalPath(table: WaterfallTable, isShown: boolean): readonly PathPiece[] | undefined {
  const [pathOf] = useState(knownPaths)
  useEffect(() => {
    // Safari has no idle callbacks: there the key waits.
    if (table.length < LARGE || typeof requestIdleCallback !== "function") return undefined
    const idle = requestIdleCallback(() => void pathOf(table))
    return () => cancelIdleCallback(idle)
  }, [table, pathOf])
  return useMemo(() => (isShown ? pathOf(table) : undefined), [isShown, table, pathOf])
}

/** Finds the path of each table once. */
function knownPaths(): (table: WaterfallTable) => readonly PathPiece[] {
  const known = new WeakMap<WaterfallTable, readonly PathPiece[]>()
  return (table) => {
    const path = known.get(table) ?? criticalPath(table)
    known.set(table, path)
    return path
  }
}
