import { type Attributes, NO_ATTRIBUTES } from "../../model/attributes.ts"
import { readEntries } from "./read-value.ts"
import type { RecordReader } from "./record-reader.ts"

/** The attribute bag of a resource, scope, span, event or link; the limits are those of `readEntries`. */
export function readAttributes(reader: RecordReader, value: unknown, what: string): Attributes {
  const raw = reader.messages(value, what)
  return raw.length === 0 ? NO_ATTRIBUTES : readEntries(reader, raw, what, 1, undefined)
}
