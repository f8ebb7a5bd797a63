import { useEffect, useMemo } from "react"
import { criticalPath, type PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

/** From this many spans the path takes longer than a frame: 300 ms of a million. */
const LARGE = 50_000

/** The critical path; `undefined` while hidden. That of a large trace is found while the page is idle, so that its key responds at once. */
export function useCriticalPath(table: WaterfallTable, isShown: boolean): readonly PathPiece[] | undefined {
  const path = useMemo(() => once(() => criticalPath(table)), [table])
  useEffect(() => {
    // Safari has no idle callbacks: there the key waits.
    if (table.length < LARGE || typeof requestIdleCallback !== "function") return undefined
    const idle = requestIdleCallback(() => void path())
    return () => cancelIdleCallback(idle)
  }, [table, path])
  return isShown ? path() : undefined
}

function once<Result>(find: () => Result): () => Result {
  let found: Result | undefined
  return () => (found ??= find())
}
