import { ENVELOPE_ITEM_LIMIT } from "../limits.ts"
import { quantityOfItem } from "../records/drop.ts"
import { type JsonObject, parseObject } from "./json.ts"

/**
 * Splits an envelope into its items, by the framing of Sentry's specification:
 *
 * ```
 * envelope = header newline (item newline)* ; item = header newline payload
 * ```
 *
 * A payload with `length` in its header takes exactly that many bytes, and a newline or the end must follow. A payload without
 * `length` ends at the next newline. The last newline may be absent, payloads may be empty, and empty lines between items are
 * skipped. Lines may end in CR LF, as some old SDKs write them. Any other framing refuses the whole envelope, because the
 * positions of all later items would be wrong.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export interface EnvelopeItem {
  readonly type: string
  readonly header: JsonObject
  /** A view into the envelope. */
  readonly payload: Uint8Array
}

/** Bytes of the shortest record in the payload of a container: `{},`. */
const RECORD_BYTES = 3

/**
 * How many records an item holds: as many as its header says, and no more than its payload has room for, because a sender
 * can write any number.
 */
export function quantityOf({ header, payload }: EnvelopeItem): number {
  return Math.min(quantityOfItem(header["item_count"]), Math.max(1, Math.ceil(payload.length / RECORD_BYTES)))
}

export interface Envelope {
  readonly ok: true
  readonly header: JsonObject
  readonly items: readonly EnvelopeItem[]
}

export interface BrokenEnvelope {
  readonly ok: false
  readonly reason: "malformed" | "too_large"
  /** A description without any content of the envelope. */
  readonly problem: string
}

/** Headers contain names, ids and a sampling context. */
const HEADER_LIMIT_BYTES = 64 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d

export function splitEnvelope(bytes: Uint8Array): Envelope | BrokenEnvelope {
  const headerEnd = endOfLine(bytes, 0)
  const header = headerEnd > HEADER_LIMIT_BYTES ? undefined : parseObject(bytes.subarray(0, headerEnd))
  if (header === undefined) return broken("the envelope's header is not a JSON object")
  const items: EnvelopeItem[] = []
  let at = skipEmptyLines(bytes, headerEnd)
  while (at < bytes.length) {
    if (items.length === ENVELOPE_ITEM_LIMIT)
      return { ok: false, reason: "too_large", problem: `the envelope holds more than ${ENVELOPE_ITEM_LIMIT} items` }
    const item = readItem(bytes, at)
    if (typeof item === "string") return broken(item)
    items.push(item.item)
    at = skipEmptyLines(bytes, item.end)
  }
  return { ok: true, header, items }
}

function readItem(bytes: Uint8Array, at: number): { readonly item: EnvelopeItem; readonly end: number } | string {
  const headerEnd = endOfLine(bytes, at)
  const header = parseObject(bytes.subarray(at, headerEnd))
  if (header === undefined) return "an item's header is not a JSON object"
  const type = header["type"]
  if (typeof type !== "string" || type === "") return "an item has no type"
  const start = Math.min(headerEnd + 1, bytes.length)
  const end = endOfPayload(bytes, start, header["length"])
  if (typeof end === "string") return end
  return { item: { type, header, payload: bytes.subarray(start, end) }, end }
}

function endOfPayload(bytes: Uint8Array, start: number, length: unknown): number | string {
  if (length === undefined || length === null) return endOfLine(bytes, start)
  if (!Number.isSafeInteger(length) || (length as number) < 0) return "an item's length is not a number of bytes"
  const end = start + (length as number)
  if (end > bytes.length) return "an item is longer than the envelope"
  const follows = bytes[end] === RETURN ? bytes[end + 1] : bytes[end]
  return end === bytes.length || follows === NEWLINE ? end : "an item's length does not end at a line"
}

/** The offset of the line's newline, or of the end of the envelope. */
function endOfLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(NEWLINE, from)
  return end === -1 ? bytes.length : end
}

function skipEmptyLines(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === NEWLINE || (bytes[at] === RETURN && bytes[at + 1] === NEWLINE)) at += 1
  return at
}

function broken(problem: string): BrokenEnvelope {
  return { ok: false, reason: "malformed", problem }
}
