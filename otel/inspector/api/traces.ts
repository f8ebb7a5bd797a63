import { Readable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import { parseTraceId, type TraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { heatmapToJson, stepsOfScope } from "../queries/list/heatmap.ts"
import { ParameterReader } from "../queries/list/parameter-reader.ts"
import { type ParsedTraceListQuery, parseTraceListQuery } from "../queries/list/trace-list-query.ts"
import type { TraceFiguresJson } from "../queries/list/trace-overview.ts"
import { traceSummaryToJson } from "../queries/list/trace-summary.ts"
import type { QueryService } from "../queries/query-service.ts"
import { encodeWaterfall } from "../queries/trace/columns/waterfall-bytes.ts"
import type { SpanBatches } from "../queries/trace/span-batches.ts"
import { parseSpanSearch } from "../queries/trace/span-search.ts"
import { withoutInternal } from "../search/index.ts"
import type { RequestParameters } from "./request-parameters.ts"
import { INVALID_TRACE_ID, json, noContent, page, problem, respond, respondToAction } from "./respond.ts"

/** `GET /api/traces`: a page of the trace list, by the same query parameters as the screen. 400 for an invalid filter. */
export function listTraces(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const { query, problem: invalid, refusal, notices } = parseQuery(inspector, parameters, Date.now())
    if (invalid !== undefined) return Response.json(invalid, { status: 400, headers: DYNAMIC_HEADERS })
    if (refusal !== undefined) return problem(400, refusal)
    const { traces, next } = await queries.traces(query)
    return page({ traces: traces.map(traceSummaryToJson) }, next, parameters.noticesWith(notices))
  })
}

/** `GET /api/traces/figures`: how many traces match, how many of them failed, and how long they took. 400 for an invalid filter. */
export function getTraceFigures(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const { query, problem: invalid, notices } = parseQuery(inspector, parameters, Date.now())
    if (invalid !== undefined) return Response.json(invalid, { status: 400, headers: DYNAMIC_HEADERS })
    const { traces, failed, p95 } = await queries.traceFigures(query)
    const figures: TraceFiguresJson = { traces, failed, p95Nano: p95 === undefined ? null : String(p95) }
    return json(figures, parameters.noticesWith(notices))
  })
}

/** `GET /api/traces/heatmap`: traces by start time and duration. 400 for an invalid filter. */
export function getHeatmap(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const nowMs = Date.now()
    const { query, problem: invalid, notices } = parseQuery(inspector, parameters, nowMs)
    if (invalid !== undefined) return Response.json(invalid, { status: 400, headers: DYNAMIC_HEADERS })
    // Without a start, the window begins with the first trace.
    const moments = query.since === undefined ? (await queries.traceOverview(query, nowMs)).moments : []
    const heatmap = await queries.traceHeatmap(query, stepsOfScope(query, moments, nowMs))
    return json(heatmapToJson(heatmap), parameters.noticesWith(notices))
  })
}

/** The query of a request. With `own=hide` it selects no internal telemetry: a term for that would count against the limit of a filter. */
function parseQuery(inspector: Inspector, parameters: URLSearchParams, nowMs: number): ParsedTraceListQuery {
  const parsed = parseTraceListQuery(parameters, nowMs, inspector.runs.lookup)
  const reader = new ParameterReader(parameters)
  const { query } = parsed
  const isHidden = reader.oneOf("own", ["show", "hide"]) === "hide"
  const filter = isHidden ? withoutInternal(query.filter, inspector.internalServices) : query.filter
  return { ...parsed, query: { ...query, filter }, notices: [...parsed.notices, ...reader.notices] }
}

/** Five seconds for queued records to reach the store. */
const DRAIN_ROUNDS = 100
const DRAIN_ROUND_MS = 50

/** `DELETE /api/traces`: deletes everything in the embedded store, also errors, logs and drops. 409 for a ClickHouse server. */
export function deleteTraces(inspector: Inspector, request: Request): Promise<Response> {
  return respondToAction(inspector, request, "DELETE", async () => {
    // Records that were acknowledged before are deleted as well, though they may not be stored yet.
    for (let round = 0; inspector.health().queue.depth > 0 && round < DRAIN_ROUNDS; round++) await delay(DRAIN_ROUND_MS)
    if (await inspector.store.clear()) return noContent()
    return problem(409, "The records are in a ClickHouse server: delete them there.")
  })
}

/**
 * `GET /api/traces/{traceId}`: the trace as OTLP/JSON, as an SDK would send it; with `?download=1` as a file. 404 when the
 * trace is unknown.
 */
export function getTrace(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId, parameters) => {
    const spans = await queries.traceInBatches(traceId)
    if (spans === undefined) return unknownTrace()
    const asFile = parameters.has("download")
    return new Response(
      Readable.toWeb(Readable.from(chunks(spans), { objectMode: false })) as ReadableStream<Uint8Array>,
      {
        headers: {
          ...DYNAMIC_HEADERS,
          "content-type": "application/json",
          ...(spans.storedCount > spans.spanCount && {
            "x-pagespan-spans": `${spans.spanCount} of ${spans.storedCount}`,
          }),
          ...(asFile && { "content-disposition": `attachment; filename="trace-${traceId}.json"` }),
        },
      },
    )
  })
}

/** One JSON object, written batch by batch. A query that fails aborts the response, so that half a trace never passes for a whole one. */
async function* chunks({ batches }: SpanBatches): AsyncGenerator<Buffer> {
  let separator = ""
  yield Buffer.from(`{"resourceSpans":[`)
  for await (const spans of batches) {
    const text = tracesToJson(spans)
      .resourceSpans.map((each) => JSON.stringify(each))
      .join(",")
    if (text === "") continue
    yield Buffer.from(separator + text)
    separator = ","
  }
  yield Buffer.from("]}")
}

/**
 * `GET /api/traces/{traceId}/waterfall`: all rows of the waterfall, as `decodeWaterfall` reads them. A screen that was rendered
 * with the first rows adds `version` to get the rest of the same view.
 */
export function getWaterfall(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId, parameters) => {
    const isRest = parameters.has("version")
    const view = await (isRest ? queries.recentTraceView(traceId) : queries.traceView(traceId))
    if (view === undefined) return unknownTrace()
    return new Response(encodeWaterfall(view.waterfall), {
      headers: { ...DYNAMIC_HEADERS, "content-type": "application/octet-stream" },
    })
  })
}

/** `GET /api/traces/{traceId}/figures`: how many of its spans are stored. 404 when the trace is unknown. */
export function getSpanFigures(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId) => {
    const spans = await queries.spanCount(traceId)
    return spans === 0 ? unknownTrace() : json({ spans })
  })
}

/** `GET /api/traces/{traceId}/findings`: what stands out in the trace. 404 when the trace is unknown. */
export function getFindings(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId) => {
    const view = await queries.traceView(traceId)
    return view === undefined ? unknownTrace() : json({ findings: view.findings })
  })
}

const NO_ATTRIBUTE_TERM =
  "q has no term of the form attribute=value. Terms of name, service, kind, status and duration match the waterfall instead."

/** `GET /api/traces/{traceId}/search?q=`: ids of the spans whose attributes match the `attribute=value` terms, joined. */
export function searchSpans(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, async (queries, traceId, parameters) => {
    const { attributes } = parseSpanSearch(parameters.get("q") ?? "")
    if (attributes.length === 0) return problem(400, NO_ATTRIBUTE_TERM)
    return json({ ids: await queries.searchSpans(traceId, attributes) })
  })
}

/** As `respond`, with 400 for an invalid trace id. */
export function respondForTrace(
  inspector: Inspector,
  request: Request,
  traceIdText: string,
  answer: (queries: QueryService, traceId: TraceId, parameters: RequestParameters) => Promise<Response>,
): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const traceId = parseTraceId(traceIdText)
    return traceId === undefined ? problem(400, INVALID_TRACE_ID) : answer(queries, traceId, parameters)
  })
}

function unknownTrace(): Response {
  return problem(404, "No span of this trace is stored.")
}
