import { Readable } from "node:stream"
import type { SpanId, TraceId } from "../model/ids.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import { tracesToJson } from "../wire/otlp/index.ts"
import type { Inspector } from "./inspector.ts"
import { problem } from "./read-api.ts"

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
