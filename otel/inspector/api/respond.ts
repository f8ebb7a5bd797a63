import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { isQueryCancelled, isStoreUnavailable } from "../queries/query-failures.ts"
import type { QueryService } from "../queries/query-service.ts"
import { RequestParameters } from "./request-parameters.ts"

/** The guards and the answers that all handlers of the read API share. Each handler parses the address, queries, and answers JSON. */

/** A starting store is usually ready by then. */
const RETRY_AFTER_SECONDS = "1"

/**
 * Answers a request that reads: 401, 403 or 421 when a guard refuses it, 503 with `Retry-After` while the store is unavailable.
 *
 * @param answer receives queries that end in the store when the client disconnects, and the query parameters.
 */
export async function respond(
  inspector: Inspector,
  request: Request,
  answer: (queries: QueryService, parameters: RequestParameters) => Promise<Response>,
): Promise<Response> {
  const refusal = inspector.receiver.guardRead(request)
  const parameters = new RequestParameters(request)
  return refusal ?? orUnavailable(inspector, () => answer(inspector.queries.withSignal(request.signal), parameters))
}

/** Answers a request that changes something: only pages of this origin may send it, by the given method. */
export async function respondToAction(
  inspector: Inspector,
  request: Request,
  method: "DELETE" | "POST",
  act: () => Promise<Response> | Response,
): Promise<Response> {
  const refusal = inspector.receiver.guardAction(request, method)
  return refusal ?? orUnavailable(inspector, act)
}

async function orUnavailable(inspector: Inspector, answer: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    // The client is gone: the status only shows up in logs.
    if (isQueryCancelled(error)) return problem(499, "The client closed the request.")
    if (!isStoreUnavailable(error)) throw error
    return problem(503, storeProblem(inspector), { "retry-after": RETRY_AFTER_SECONDS })
  }
}

export const INVALID_TRACE_ID = "A trace id has 32 hexadecimal digits, not all of them zero."
export const INVALID_SPAN_ID = "A span id has 16 hexadecimal digits, not all of them zero."

/** Why the store cannot answer, in one line. */
export function storeProblem({ store }: Inspector): string {
  return store.problem ?? "The store is starting."
}

/** @param notices one sentence for each query parameter that was ignored. */
export function json(body: object, notices: readonly string[] = []): Response {
  return Response.json({ ...body, ...(notices.length > 0 && { notices }) }, { headers: DYNAMIC_HEADERS })
}

/** A page of a list. */
export function page(list: object, next: string | undefined, notices?: readonly string[]): Response {
  return json({ ...list, next: next ?? null }, notices)
}

export function noContent(): Response {
  return new Response(null, { status: 204, headers: DYNAMIC_HEADERS })
}

/** An error as `{ message }`. */
export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ message }, { status, headers: { ...DYNAMIC_HEADERS, ...headers } })
}
