import { connection } from "next/server"
import { cache } from "react"
import { readTraceView, type TraceView } from "#otel/inspector/trace-view.ts"
import { parseTraceId } from "#otel/model/ids.ts"
import { readScreen } from "#app/feed/read-screen.ts"
import type { SoonOrLater } from "#app/feed/soon-or-later.ts"

/**
 * The trace that the address names, read once for the whole answer: title and screen ask alike. `"unknown"` when it names
 * none that is stored; `undefined` while the store is away.
 */
export const readView = cache(async (address: string): Promise<SoonOrLater<TraceView | "unknown"> | undefined> => {
  await connection()
  const traceId = parseTraceId(address)
  if (traceId === undefined) return { is: "soon", value: "unknown" }
  return readScreen(async ({ traces }) => (await readTraceView(traces, traceId)) ?? "unknown")
})
