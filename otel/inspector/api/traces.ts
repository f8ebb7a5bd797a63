import { setTimeout as delay } from "node:timers/promises"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import type { KnownValue } from "../queries/list/entry-stats.ts"
import { parseTraceListQuery } from "../queries/list/trace-list-query.ts"
import { traceSummaryToJson } from "../queries/list/trace-summary.ts"
import { SHORT_NAMES } from "../search/fields.ts"

/** Characters of what is asked about: no attribute of ours has a longer name. */
const ASKED_LENGTH = 256

/** Five seconds for what waits in the queue to reach the store. */
const CLEAR_ROUNDS = 100
const CLEAR_ROUND_MS = 50

/** A client that asks again after this long finds the store started. */
const RETRY_AFTER_SECONDS = "1"

/** `GET /api/traces`: a page of the trace list, by the query parameters of the screen. */
export function listTracesHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async (asked) => {
    const { searchParams } = new URL(request.url)
    const { query, problem: unreadable, notices } = parseTraceListQuery(searchParams, Date.now(), inspector.runs.lookup)
    if (unreadable !== undefined) return Response.json(unreadable, { status: 400, headers: DYNAMIC_HEADERS })
    const { traces, next } = await asked.traces.listTraces(query)
    return Response.json(
      { traces: traces.map(traceSummaryToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `GET /api/attributes`: names of the attributes that stored spans have; with `name`, what it can be, of what contains `text`. */
export function attributesHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async () => {
    const { searchParams } = new URL(request.url)
    const name = searchParams.get("name")?.slice(0, ASKED_LENGTH)
    const text = searchParams.get("text")?.slice(0, ASKED_LENGTH) ?? ""
    const { queryCache } = inspector
    const { signal } = request
    if (name === undefined || name === "") {
      const known = (left: AbortSignal) => inspector.until(left).traces.knownAttributes()
      const attributes = await queryCache.get("attributes", known, signal)
      return Response.json({ attributes }, { headers: DYNAMIC_HEADERS })
    }
    const field = SHORT_NAMES.get(name) ?? name
    const ask = (left: AbortSignal) => {
      const asked = inspector.until(left)
      return name === "run" ? knownRuns(asked, text) : asked.traces.knownValues(field, text)
    }
    const values = await queryCache.get(`values ${JSON.stringify([name, text])}`, ask, signal)
    return Response.json({ values }, { headers: DYNAMIC_HEADERS })
  })
}

/** Runs that were kept, then those that spans name. */
async function knownRuns({ runs, traces }: Inspector, text: string): Promise<readonly KnownValue[]> {
  const kept = (await runs.refresh()).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const named = await traces.knownValues("pagespan.run", text)
  const own = kept.map(({ name }) => ({ value: name, spans: 0 }))
  return [...own, ...named.filter(({ value }) => !kept.some(({ name }) => name === value))]
}

/** `DELETE /api/traces`: all that the embedded store keeps goes, also errors, logs and drops. 409 where it is a server's. */
export async function clearHandler(inspector: Inspector, request: Request): Promise<Response> {
  const refusal = inspector.receiver.guardAction(request, "DELETE")
  if (refusal !== undefined) return refusal
  return orUnavailable(inspector, async () => {
    // What was acknowledged before goes as well, though it may not be stored yet.
    for (let round = 0; inspector.health().queue.depth > 0 && round < CLEAR_ROUNDS; round++) await delay(CLEAR_ROUND_MS)
    if (await inspector.store.clear()) return new Response(null, { status: 204, headers: DYNAMIC_HEADERS })
    return problem(409, "The records are in a ClickHouse server: delete them there.")
  })
}

/** `DELETE /api/queries/{id}`: what a screen still asks the store is ended there. One that has its answer is left alone. */
export function cancelQueryHandler({ receiver, activeQueries }: Inspector, request: Request, id: string): Response {
  const refusal = receiver.guardAction(request, "DELETE")
  if (refusal !== undefined) return refusal
  activeQueries.stop(id)
  return new Response(null, { status: 204, headers: DYNAMIC_HEADERS })
}

/**
 * Answers a request that may read; 503 with when to ask again while the store is away. A client that leaves ends what
 * the store is still asked for it.
 */
export async function read(
  inspector: Inspector,
  request: Request,
  answer: (asked: Inspector) => Promise<Response>,
): Promise<Response> {
  const asked = inspector.until(request.signal)
  return inspector.receiver.guardRead(request) ?? orUnavailable(inspector, () => answer(asked))
}

async function orUnavailable(inspector: Inspector, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Nobody reads this answer.
    if (error.name === "QueryCancelled") return problem(499, "The client has left.")
    if (error.name !== "StoreUnavailable") throw error
    return problem(503, inspector.store.problem ?? "The store is starting.", { "retry-after": RETRY_AFTER_SECONDS })
  }
}

export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ message }, { status, headers: { ...DYNAMIC_HEADERS, ...headers } })
}
