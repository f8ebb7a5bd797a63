import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import { logToJson } from "../logs/log-json.ts"
import type { LogReader } from "../logs/log-reader.ts"
import { type GenAiCall, genAiCall, type GenAiTotals, isGenAi } from "./gen-ai-call.ts"

/** A call to a generative model, with what all calls of its trace used. */
export interface GenAiView {
  readonly call: GenAiCall
  readonly trace: GenAiTotals
}

/** Log records of a span that are searched for messages: the first. */
const LOGS = 200

type Reader = Pick<TraceReader, "readSpan" | "readGenAi"> & Pick<LogReader, "listLogs">

export async function readGenAiView(reader: Reader, traceId: TraceId, spanId: SpanId): Promise<GenAiView | undefined> {
  const versions = await reader.readSpan(traceId, spanId)
  const span = versions.find(({ attributes }) => isGenAi(attributes.keys()))
  if (span === undefined) return undefined
  const filter = { is: "span id", text: { is: "equal", text: spanId } } as const
  const [{ totals, results }, { logs }] = await Promise.all([
    reader.readGenAi(traceId),
    reader.listLogs({ traceId, filter, isOldestFirst: true, limit: LOGS }),
  ])
  const call = genAiCall(
    span,
    logs.map((log) => logToJson(log)),
    results,
  )
  return call && { call, trace: totals }
}
