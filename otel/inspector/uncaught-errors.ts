import { processState } from "./process-state.ts"

type UncaughtReason = "uncaught_exception" | "unhandled_rejection"

/** How often an error reached the top of this process since its start, by how. */
export type UncaughtCounts = Readonly<Partial<Record<UncaughtReason, number>>>

/**
 * Counts errors that nothing caught. Next logs them and goes on, so the process lives and only its log says that something is
 * wrong. Nothing else changes: without Next's listeners such an error ends the process as before.
 */
export function uncaughtErrors(): UncaughtCounts {
  return processState("uncaught", watch)
}

function watch(): UncaughtCounts {
  const counts: Partial<Record<UncaughtReason, number>> = {}
  const count = (reason: UncaughtReason) => void (counts[reason] = (counts[reason] ?? 0) + 1)
  process.on("uncaughtExceptionMonitor", (_error, origin) =>
    count(origin === "unhandledRejection" ? "unhandled_rejection" : "uncaught_exception"),
  )
  joinListeners(() => count("unhandled_rejection"))
  return counts
}

/** Listens to unhandled rejections once something else does: with this listener alone, Node would not end the process. */
function joinListeners(listener: () => void): void {
  const event = "unhandledRejection"
  if (process.listenerCount(event) > 0) return void process.on(event, listener)
  process.on("newListener", function onNew(added) {
    if (added !== event) return
    process.off("newListener", onNew)
    process.on(event, listener)
  })
}
