import { headers } from "next/headers"
import { notFound, redirect } from "next/navigation"
import { QUERY_HEADER } from "#otel/inspector/active-queries.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { getInspector } from "#otel/inspector/instance.ts"
import type { TraceReader } from "#otel/inspector/queries/list/trace-reader.ts"

/** What may be asked of the store for a request: it ends there when whoever sent the request leaves. */
export interface Asked {
  readonly inspector: Inspector
  /** By which a page can end it; `undefined` where Next runs alone. */
  readonly readingId: string | undefined
  /** An answer that others may wait for as well, kept for a while: it is asked further when only some of them leave. */
  remember<T>(key: string, ask: (inspector: Inspector) => Promise<T>): Promise<T>
}

/**
 * What the store answers a screen, or `undefined` while it is away. Any other failure stays an error. A request by a
 * host that is not served gets nothing: a foreign page can point a name of its own at this machine.
 */
export async function fromStore<T>(
  ask: (traces: TraceReader, inspector: Inspector, asked: Asked) => Promise<T>,
): Promise<T | undefined> {
  const inspector = getInspector()
  const sent = await headers()
  if (!inspector.serves(sent.get("host"))) notFound()
  if (!inspector.receiver.maySee(sent)) redirect("/sign-in")
  const asked = askedBy(inspector, sent.get(QUERY_HEADER))
  try {
    return await ask(asked.inspector.traces, asked.inspector, asked)
  } catch (error) {
    if (isAway(error) || isStopped(error)) return undefined
    throw error
  }
}

function askedBy(inspector: Inspector, readingId: string | null): Asked {
  const left = inspector.activeQueries.signalOf(readingId)
  return {
    inspector: left === undefined ? inspector : inspector.until(left),
    readingId: readingId ?? undefined,
    remember: (key, ask) => inspector.queryCache.get(key, (allLeft) => ask(inspector.until(allLeft)), left),
  }
}

// Failures are known by their names: start command and screens are bundled apart, so the classes thrown are not those here.

export function isAway(error: unknown): error is Error {
  return error instanceof Error && error.name === "StoreUnavailable"
}

/** Whoever asked has left, or said that nobody waits any more. */
export function isStopped(error: unknown): boolean {
  return error instanceof Error && error.name === "QueryCancelled"
}
