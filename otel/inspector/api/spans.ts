import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import { parseSpanId, type SpanId, type TraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import type { QueryService } from "../queries/query-service.ts"
import { spanDetail } from "../queries/trace/span-detail.ts"
import { percentileOf } from "../queries/trace/span-peers.ts"
import { INVALID_SPAN_ID, json, problem } from "./respond.ts"
import { respondForTrace } from "./traces.ts"

/** `/api/traces/{traceId}/spans/{spanId}` and what is below it. */

/** `GET …/{spanId}`: the span as its panel shows it, once for each protocol that reported it, OTLP first. `spans` is empty when the span is unknown. */
export function getSpan(inspector: Inspector, request: Request, traceId: string, spanId: string): Promise<Response> {
  return respondForSpan(inspector, request, [traceId, spanId], async (queries, trace, span) =>
    json({ spans: (await queries.span(trace, span)).map(spanDetail) }),
  )
}

/** `GET …/raw`: the span as OTLP/JSON, one object for each protocol that reported it. */
export function getRawSpan(inspector: Inspector, request: Request, traceId: string, spanId: string): Promise<Response> {
  return respondForSpan(inspector, request, [traceId, spanId], async (queries, trace, span) => {
    const records = await queries.span(trace, span)
    if (records.length === 0) return unknownSpan()
    return json(Object.fromEntries(records.map((record) => [record.source, tracesToJson([record])])))
  })
}

/** `GET …/context`: how the span's duration compares with its peers, which spans link to it, and its session. */
export function getSpanContext(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return respondForSpan(inspector, request, [traceId, spanId], async (queries, trace, span) => {
    const context = await queries.spanContext(trace, span)
    if (context === undefined) return unknownSpan()
    const { peers, backLinks, sessionId } = context
    return json({
      peers: {
        count: peers.count,
        isCapped: peers.isCapped,
        percentile: percentileOf(peers) ?? null,
        p50Nano: String(peers.p50),
        p95Nano: String(peers.p95),
        slowestNano: String(peers.slowest),
      },
      backLinks,
      sessionId: sessionId ?? null,
    })
  })
}

/** `GET …/gen-ai`: the call to a generative model that the span recorded, and what those of its trace used in all. */
export function getGenAi(inspector: Inspector, request: Request, traceId: string, spanId: string): Promise<Response> {
  return respondForSpan(inspector, request, [traceId, spanId], async (queries, trace, span) => {
    const view = await queries.genAi(trace, span)
    return view === undefined ? problem(404, "No span of this trace with gen_ai attributes has the id.") : json(view)
  })
}

/** `GET …/text`: the span and its descendants as compact text, for a language model. */
export function getSubtreeText(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return respondForSpan(inspector, request, [traceId, spanId], async (queries, trace, span) => {
    const text = await queries.subtreeText(trace, span)
    if (text === undefined) return unknownSpan()
    return new Response(text, { headers: { ...DYNAMIC_HEADERS, "content-type": "text/plain; charset=utf-8" } })
  })
}

function respondForSpan(
  inspector: Inspector,
  request: Request,
  [traceIdText, spanIdText]: readonly [string, string],
  answer: (queries: QueryService, traceId: TraceId, spanId: SpanId) => Promise<Response>,
): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId) => {
    const spanId = parseSpanId(spanIdText)
    return spanId === undefined ? problem(400, INVALID_SPAN_ID) : answer(queries, traceId, spanId)
  })
}

function unknownSpan(): Response {
  return problem(404, "No span of this trace has the id.")
}
