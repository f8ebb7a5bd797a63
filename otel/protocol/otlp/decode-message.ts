import { type OtlpEncoding, type OtlpMessage, otlpType, undecodable, type Undecodable } from "./message.ts"
import type { RawMessage } from "./record-reader.ts"
import { scanJson, scanProtobuf } from "./scan.ts"

export type DecodedMessage = { readonly ok: true; readonly message: RawMessage } | Undecodable

/** A request in its own shape, with OTLP/JSON's field names in both encodings. */
export function decodeMessage(body: Uint8Array, encoding: OtlpEncoding, type: OtlpMessage): DecodedMessage {
  return encoding === "json" ? parseJson(body) : decodeProtobuf(body, type)
}

function parseJson(body: Uint8Array): DecodedMessage {
  const scan = scanJson(body)
  if (!scan.ok) return scan
  try {
    const message: unknown = JSON.parse(scan.text)
    if (typeof message === "object" && message !== null && !Array.isArray(message))
      return { ok: true, message: message as RawMessage }
    return undecodable("malformed", "the request is not a JSON object")
  } catch {
    // The parser's message quotes the body, which an answer or a log must not.
    return undecodable("malformed", "the request is not valid JSON")
  }
}

function decodeProtobuf(body: Uint8Array, type: OtlpMessage): DecodedMessage {
  const problem = scanProtobuf(body, type)
  if (problem !== undefined) return problem
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    return { ok: true, message: otlpType(type).decode(bytes) as unknown as RawMessage }
  } catch {
    // The decoder throws on illegal input and nothing else; its messages speak of buffer offsets.
    return undecodable("malformed", `the request is not a valid protobuf ${type}`)
  }
}
