import { connection } from "next/server"
import { cache } from "react"
import type { Deferred } from "#app/_live/defer.ts"
import { readScreen } from "#app/_live/read-screen.ts"
import { parseTraceId } from "#otel/inspector/queries/records.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"

/**
 * The trace that the address names, read once for the whole answer: title and screen ask alike. `"unknown"` when it names
 * none that is stored; `undefined` while the store is away.
 */
export const readView = cache(async (address: string): Promise<Deferred<TraceView | "unknown"> | undefined> => {
  await connection()
  const traceId = parseTraceId(address)
  if (traceId === undefined) return { is: "soon", value: "unknown" }
  return readScreen(async (queries) => (await queries.traceView(traceId)) ?? "unknown")
})
