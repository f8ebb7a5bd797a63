import { connection } from "next/server"
import { cache } from "react"
import type { Deferred } from "#app/_query/defer.ts"
import { readScreen } from "#app/_query/read-screen.ts"
import { parseTraceId } from "#otel/inspector/queries/records.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"

/**
 * The trace in the URL, cached for the request, because title and screen both need it. `"unknown"` for a trace that is not
 * stored; `undefined` while the store is unavailable.
 */
export const readView = cache(async (address: string): Promise<Deferred<TraceView | "unknown"> | undefined> => {
  await connection()
  const traceId = parseTraceId(address)
  if (traceId === undefined) return { is: "ready", value: "unknown" }
  return readScreen(async (queries) => (await queries.traceView(traceId)) ?? "unknown")
})
