import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import type { SpanIds } from "./columns/span-ids.ts"
import { indexesWhere } from "./columns/typed-arrays.ts"

/** A trace read in batches, so that one of any size fits into memory. */
export interface SpanBatches {
  readonly spanCount: number
  /** More than `spanCount` where the trace has more spans than one answer may hold. */
  readonly storedCount: number
  readonly batches: AsyncIterable<readonly SpanRecord[]>
}

const SPANS_PER_BATCH = 2_000

type Reader = Pick<TraceReader, "readOutline" | "readSpans" | "readTrace">

/** `undefined` when the trace is unknown. */
export async function readInBatches(reader: Reader, traceId: TraceId): Promise<SpanBatches | undefined> {
  const outline = await reader.readOutline(traceId)
  if (outline === undefined) return undefined
  // Two services may share an id.
  const firsts = outline.ids.indexesOf(outline.ids)
  const ids = outline.ids.pick(indexesWhere(firsts.length, (span) => firsts[span] === span))
  return { spanCount: outline.ids.length, storedCount: outline.stored, batches: spanBatches(reader, traceId, ids) }
}

async function* spanBatches(reader: Reader, traceId: TraceId, ids: SpanIds): AsyncGenerator<readonly SpanRecord[]> {
  // The store looks few ids up by service and name, and then finds one of two spans that share an id. So a small trace is read
  // whole, and batches are of equal size.
  if (ids.length <= SPANS_PER_BATCH) return yield await reader.readTrace(traceId)
  const size = Math.ceil(ids.length / Math.ceil(ids.length / SPANS_PER_BATCH))
  for (let from = 0; from < ids.length; from += size) {
    const length = Math.min(size, ids.length - from)
    yield await reader.readSpans(
      traceId,
      Array.from({ length }, (_, place) => ids.text(from + place) as SpanId),
    )
  }
}
