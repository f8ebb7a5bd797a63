import { setTimeout as delay } from "node:timers/promises"
import { parseTraceListQuery } from "../query/trace-list-query.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import { issueDetailToJson, issueToJson, lossToJson } from "../wire/issue-json.ts"
import { traceSummaryToJson } from "../wire/trace-summary-json.ts"
import type { Inspector } from "./inspector.ts"

const ISSUE_ID = /^[0-9a-f]{32}$/

/** Five seconds for what waits in the queue to reach the store. */
const CLEAR_ROUNDS = 100
const CLEAR_ROUND_MS = 50

/** A client that asks again after this long finds the store started. */
const RETRY_AFTER_SECONDS = "1"

/** `GET /api/traces`: a page of the trace list, by the query parameters of the screen. */
export function listTracesDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async () => {
    const { query, notices } = parseTraceListQuery(new URL(request.url).searchParams, Date.now())
    const { traces, next } = await inspector.traces.listTraces(query)
    return Response.json(
      { traces: traces.map(traceSummaryToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `GET /api/errors`: a page of issues, what was seen last first, by the query parameters of the trace list. */
export function listIssuesDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async () => {
    const { query, notices } = parseTraceListQuery(new URL(request.url).searchParams, Date.now())
    const { issues, next } = await inspector.errors.listIssues(query)
    return Response.json(
      { issues: issues.map(issueToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `GET /api/errors/{issueId}`: the issue with its newest events. 404 where it is not known. */
export function issueDoor(inspector: Inspector, request: Request, issueId: string): Promise<Response> {
  return read(inspector, request, async () => {
    if (!ISSUE_ID.test(issueId)) return problem(400, "An issue id has 32 hexadecimal digits.")
    const issue = await inspector.errors.readIssue(issueId)
    if (issue === undefined) return problem(404, "No event of this issue is known.")
    return Response.json(issueDetailToJson(issue), { headers: DYNAMIC_HEADERS })
  })
}

/** `GET /api/losses`: the newest losses, newest first. The list is bounded, so there is never a next page. */
export function listLossesDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async () => {
    const { query, notices } = parseTraceListQuery(new URL(request.url).searchParams, Date.now())
    const losses = await inspector.store.listLosses(query.limit)
    return Response.json(
      { losses: losses.map(lossToJson), next: null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `DELETE /api/traces`: all that the embedded store keeps goes, also errors, logs and losses. 409 where it is a server's. */
export async function clearDoor(inspector: Inspector, request: Request): Promise<Response> {
  const refusal = inspector.receiver.guardDelete(request)
  if (refusal !== undefined) return refusal
  return orUnavailable(inspector, async () => {
    // What was acknowledged before goes as well, though it may not be stored yet.
    for (let round = 0; inspector.health().queue.depth > 0 && round < CLEAR_ROUNDS; round++) await delay(CLEAR_ROUND_MS)
    if (await inspector.store.clear()) return new Response(null, { status: 204, headers: DYNAMIC_HEADERS })
    return problem(409, "The records are in a ClickHouse server: delete them there.")
  })
}

/** Answers a request that may read; 503 with when to ask again while the store is away. */
export async function read(inspector: Inspector, request: Request, answer: () => Promise<Response>): Promise<Response> {
  return inspector.receiver.guardRead(request) ?? orUnavailable(inspector, answer)
}

async function orUnavailable(inspector: Inspector, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "StoreUnavailable") throw error
    return problem(503, inspector.store.problem ?? "The store is starting.", { "retry-after": RETRY_AFTER_SECONDS })
  }
}

export function problem(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ message }, { status, headers: { ...DYNAMIC_HEADERS, ...headers } })
}
