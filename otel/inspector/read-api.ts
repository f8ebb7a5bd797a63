import { parseTraceId } from "../model/ids.ts"
import { parseTraceListQuery } from "../query/trace-list-query.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import { tracesToJson } from "../wire/otlp/index.ts"
import { traceSummaryToJson } from "../wire/trace-summary-json.ts"
import type { Inspector } from "./inspector.ts"

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

/** `GET /api/traces/{traceId}`: the trace as OTLP/JSON, as an SDK would have sent it. 404 where no span of it is known. */
export function traceDoor(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return read(inspector, request, async () => {
    const traceId = parseTraceId(traceIdText)
    if (traceId === undefined) return problem(400, "A trace id has 32 hexadecimal digits.")
    const spans = await inspector.traces.readTrace(traceId)
    if (spans.length === 0) return problem(404, "No span of this trace is known.")
    return Response.json(tracesToJson(spans), { headers: DYNAMIC_HEADERS })
  })
}

/** Answers a reader who may read, or says why there is no answer now. */
export async function read(inspector: Inspector, request: Request, answer: () => Promise<Response>): Promise<Response> {
  const refusal = inspector.receiver.guardRead(request)
  if (refusal !== undefined) return refusal
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
