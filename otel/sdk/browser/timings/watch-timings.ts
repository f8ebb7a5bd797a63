import { safely } from "../../safely.ts"

/**
 * Calls back with each entry of a type, those from before included. Answers `false` where the browser has no such
 * entries.
 */
export function watchTimings(type: string, onEntry: (entry: PerformanceEntry) => void, signal: AbortSignal): boolean {
  const { PerformanceObserver } = window as Partial<typeof globalThis>
  if (!PerformanceObserver?.supportedEntryTypes?.includes(type)) return false
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) safely(() => onEntry(entry))
  })
  observer.observe({ type, buffered: true })
  signal.addEventListener("abort", () => observer.disconnect())
  return true
}
