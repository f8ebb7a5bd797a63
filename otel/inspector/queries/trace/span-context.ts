import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds } from "../../../protocol/records/time.ts"
import type { BackLink, TraceReader } from "../list/trace-reader.ts"
import type { SessionReader } from "../sessions/session-reader.ts"
import { spanDetail } from "./span-detail.ts"
import type { SpanPeers } from "./span-peers.ts"

/** What a span relates to beyond its trace. */
export interface SpanContext {
  /** How the span's duration compares with those of spans of the same service and name. */
  readonly peers: SpanPeers
  /** Spans that link to the span, newest first. */
  readonly backLinks: readonly BackLink[]
  /** `session.id` of the span, else the only one in its trace. */
  readonly sessionId: string | undefined
}

type Reader = Pick<TraceReader, "readSpan" | "readPeers" | "readBackLinks"> & Pick<SessionReader, "readSessionsOfTrace">

/** `undefined` when the span is unknown. */
export async function readSpanContext(
  reader: Reader,
  traceId: TraceId,
  spanId: SpanId,
): Promise<SpanContext | undefined> {
  const [record] = await reader.readSpan(traceId, spanId)
  if (record === undefined) return undefined
  const { service, name } = spanDetail(record)
  const duration = nanoseconds(record.endTime > record.startTime ? record.endTime - record.startTime : 0n)
  const [peers, backLinks, sessions] = await Promise.all([
    reader.readPeers({ service, name, duration }),
    reader.readBackLinks(traceId, spanId),
    reader.readSessionsOfTrace(traceId),
  ])
  const own = record.attributes.get("session.id")
  return { peers, backLinks, sessionId: typeof own === "string" && own !== "" ? own : onlyOne(sessions) }
}

/** The session of a trace. A trace of several visitors has none. */
export function onlyOne(sessions: readonly string[]): string | undefined {
  return sessions.length === 1 ? sessions[0] : undefined
}
