import { connection } from "next/server"
import { cache } from "react"
import { parseTraceId } from "#otel/model/ids.ts"
import type { SpanRecord } from "#otel/model/span.ts"
import { fromStore } from "#app/feed/from-store.ts"

/**
 * The spans of the trace that the address names, read once for the whole answer: layout, title and panel ask alike. Empty
 * when it names none that is stored; `undefined` while the store is away.
 */
export const readTrace = cache(async (address: string): Promise<readonly SpanRecord[] | undefined> => {
  await connection()
  const traceId = parseTraceId(address)
  return traceId === undefined ? [] : fromStore((traces) => traces.readTrace(traceId))
})
