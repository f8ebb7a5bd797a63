import { connection } from "next/server"
import { cache } from "react"
import { readTraceView, type TraceView } from "#otel/inspector/trace-view.ts"
import { parseTraceId } from "#otel/model/ids.ts"
import { fromStore } from "#app/feed/from-store.ts"

/**
 * The trace that the address names, read once for the whole answer: title and screen ask alike. `"unknown"` when it names
 * none that is stored; `undefined` while the store is away.
 */
export const readView = cache(async (address: string): Promise<TraceView | "unknown" | undefined> => {
  await connection()
  const traceId = parseTraceId(address)
  if (traceId === undefined) return "unknown"
  return fromStore(async (traces) => (await readTraceView(traces, traceId)) ?? "unknown")
})
