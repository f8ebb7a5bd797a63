import { Readable } from "node:stream"
import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "../../protocol/records/ids.ts"
import { nanoseconds } from "../../protocol/records/time.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { spanDetail } from "../queries/trace/span-detail.ts"
import { percentileOf } from "../queries/trace/span-peers.ts"
import { parseSpanSearch } from "../queries/trace/span-search.ts"
import { subtreeRows, subtreeText } from "../queries/trace/subtree-text.ts"
import { latestTraceView, readTraceView } from "../queries/trace/trace-view.ts"
import { readWaterfall } from "../queries/trace/waterfall-table.ts"
import { problem, read } from "./traces.ts"

/**
 * `GET /api/traces/{traceId}`: the trace as OTLP/JSON, as an SDK would have sent it; `?download=1` as a file. 404 where no
 * span of it is known.
 */
export function traceHandler(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return readOfTrace(inspector, request, traceIdText, (asked, traceId) =>
    exportTrace(asked, traceId, new URL(request.url).searchParams.has("download")),
  )
}

/**
 * `GET /api/traces/{traceId}/waterfall`: all rows of the waterfall. A screen that has the first of them asks with `reading`, and
 * is told the rest of what was read for it.
 */
export function waterfallHandler(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return readOfTrace(inspector, request, traceIdText, async ({ traces }, traceId) => {
    const isRest = new URL(request.url).searchParams.has("reading")
    const view = await (isRest ? latestTraceView : readTraceView)(traces, traceId)
    if (view === undefined) return problem(404, "No span of this trace is known.")
    return Response.json(view.waterfall, { headers: DYNAMIC_HEADERS })
  })
}

/** `GET /api/traces/{traceId}/search?q=`: ids of the spans whose attributes fit the `attribute=value` terms, joined. */
export function searchSpansHandler(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return readOfTrace(inspector, request, traceIdText, async ({ traces }, traceId) => {
    const { attributes } = parseSpanSearch(new URL(request.url).searchParams.get("q") ?? "")
    if (attributes.length === 0) return problem(400, "q has no term of the form attribute=value.")
    const ids = await traces.searchSpans(traceId, attributes)
    return Response.json({ ids }, { headers: DYNAMIC_HEADERS })
  })
}

/** `GET /api/traces/{traceId}/spans/{spanId}`: one span as each protocol told it, OTLP first, as the panel shows it; an empty list where it is not known. */
export function spanHandler(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return readOfSpan(inspector, request, traceId, spanId, async ({ traces }, trace, span) => {
    const records = await traces.readSpan(trace, span)
    return Response.json({ told: records.map(spanDetail) }, { headers: DYNAMIC_HEADERS })
  })
}

/** `GET …/raw`: the same as OTLP/JSON, an object for each protocol that told it. */
export function rawSpanHandler(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return readOfSpan(inspector, request, traceId, spanId, async ({ traces }, trace, span) => {
    const records = await traces.readSpan(trace, span)
    if (records.length === 0) return problem(404, "No span of this trace has the id.")
    const told = Object.fromEntries(records.map((record) => [record.source, tracesToJson([record])]))
    return Response.json(told, { headers: DYNAMIC_HEADERS })
  })
}

/** `GET …/context`: where its duration stands among spans of its service and name, and who links to it. */
export function spanContextHandler(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return readOfSpan(inspector, request, traceId, spanId, async ({ traces }, trace, span) => {
    const [record] = await traces.readSpan(trace, span)
    if (record === undefined) return problem(404, "No span of this trace has the id.")
    const { service, name } = spanDetail(record)
    const duration = nanoseconds(record.endTime > record.startTime ? record.endTime - record.startTime : 0n)
    const [peers, backLinks] = await Promise.all([
      traces.readPeers({ service, name, duration }),
      traces.readBackLinks(trace, span),
    ])
    return Response.json(
      {
        peers: {
          count: peers.count,
          isCapped: peers.isCapped,
          percentile: percentileOf(peers) ?? null,
          p50Nano: String(peers.p50),
          p95Nano: String(peers.p95),
          slowestNano: String(peers.slowest),
        },
        backLinks,
      },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `GET …/text`: the span and all below it as compact text, for a language model. */
export function subtreeHandler(
  inspector: Inspector,
  request: Request,
  traceId: string,
  spanId: string,
): Promise<Response> {
  return readOfSpan(inspector, request, traceId, spanId, async ({ traces }, trace, span) => {
    const view = await latestTraceView(traces, trace)
    if (view === undefined) return problem(404, "No span of this trace is known.")
    const table = readWaterfall(view.waterfall)
    const row = table.indexOf(span)
    if (row === -1) return problem(404, "No span of this trace has the id.")
    const ids = subtreeRows(table, row).map((each) => table.spanId(each) as SpanId)
    const text = subtreeText(table, row, await traces.readSpans(trace, ids))
    return new Response(text, { headers: { ...DYNAMIC_HEADERS, "content-type": "text/plain; charset=utf-8" } })
  })
}

function readOfTrace(
  inspector: Inspector,
  request: Request,
  traceIdText: string,
  answer: (asked: Inspector, traceId: TraceId) => Promise<Response>,
): Promise<Response> {
  return read(inspector, request, async (asked) => {
    const traceId = parseTraceId(traceIdText)
    return traceId === undefined ? problem(400, "A trace id has 32 hexadecimal digits.") : answer(asked, traceId)
  })
}

function readOfSpan(
  inspector: Inspector,
  request: Request,
  traceIdText: string,
  spanIdText: string,
  answer: (asked: Inspector, traceId: TraceId, spanId: SpanId) => Promise<Response>,
): Promise<Response> {
  return readOfTrace(inspector, request, traceIdText, async (asked, traceId) => {
    const spanId = parseSpanId(spanIdText)
    return spanId === undefined ? problem(400, "A span id has 16 hexadecimal digits.") : answer(asked, traceId, spanId)
  })
}

/** Spans that are read and written at a time: a trace of any size leaves in the memory of so many. */
const SPANS_A_PIECE = 2_000

/**
 * The trace as one OTLP/JSON object, written piece by piece. A store that fails on the way breaks the answer off, so that
 * no half of a trace passes for the whole of it.
 */
export async function exportTrace(inspector: Inspector, traceId: TraceId, asFile: boolean): Promise<Response> {
  const outline = await inspector.traces.readOutline(traceId)
  if (outline === undefined) return problem(404, "No span of this trace is known.")
  const ids = [...new Set(outline.ids)] as SpanId[]
  const bytes = Readable.toWeb(Readable.from(pieces(inspector, traceId, ids), { objectMode: false }))
  return new Response(bytes as ReadableStream<Uint8Array>, {
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "application/json",
      ...(outline.stored > ids.length && { "x-pagespan-spans": `${ids.length} of ${outline.stored}` }),
      ...(asFile && { "content-disposition": `attachment; filename="trace-${traceId}.json"` }),
    },
  })
}

async function* pieces(inspector: Inspector, traceId: TraceId, ids: readonly SpanId[]): AsyncGenerator<Buffer> {
  yield Buffer.from(`{"resourceSpans":[`)
  for (let from = 0; from < ids.length; from += SPANS_A_PIECE) {
    const spans = await inspector.traces.readSpans(traceId, ids.slice(from, from + SPANS_A_PIECE))
    const text = tracesToJson(spans)
      .resourceSpans.map((each) => JSON.stringify(each))
      .join(",")
    if (text !== "") yield Buffer.from(from === 0 ? text : `,${text}`)
  }
  yield Buffer.from("]}")
}
