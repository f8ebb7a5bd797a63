import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceReader } from "../list/trace-reader.ts"

/** A trace read in batches, so that one of any size fits into memory. */
export interface SpanBatches {
  readonly spanCount: number
  /** More than `spanCount` where the trace has more spans than one answer may hold. */
  readonly storedCount: number
  readonly batches: AsyncIterable<readonly SpanRecord[]>
}

const SPANS_PER_BATCH = 2_000

type Reader = Pick<TraceReader, "readOutline" | "readSpans">

/** `undefined` when the trace is unknown. */
export async function readInBatches(reader: Reader, traceId: TraceId): Promise<SpanBatches | undefined> {
  const outline = await reader.readOutline(traceId)
  if (outline === undefined) return undefined
  const ids = [...new Set(outline.ids)] as SpanId[]
  return { spanCount: ids.length, storedCount: outline.stored, batches: spanBatches(reader, traceId, ids) }
}

async function* spanBatches(
  reader: Reader,
  traceId: TraceId,
  ids: readonly SpanId[],
): AsyncGenerator<readonly SpanRecord[]> {
  for (let from = 0; from < ids.length; from += SPANS_PER_BATCH)
    yield await reader.readSpans(traceId, ids.slice(from, from + SPANS_PER_BATCH))
}
