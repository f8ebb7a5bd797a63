import { safely } from "../../../protocol/safely.ts"

/**
 * Calls back with each performance entry of a type, including buffered ones: with these before it returns, in WebKit.
 *
 * @returns whether the browser reports such entries.
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
