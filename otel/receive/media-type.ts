import type { DoorRequest } from "./door-request.ts"
import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../wire/otlp/index.ts"
import { quoteForMessage, type Refusal } from "./refusal.ts"

/** The encoding that `Content-Type` names; JSON is UTF-8 or nothing. */
export function otlpEncoding(request: DoorRequest): OtlpEncoding | undefined {
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";")
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="))
  if (type.trim() === OTLP_MEDIA_TYPES.protobuf) return "protobuf"
  if (type.trim() !== OTLP_MEDIA_TYPES.json) return undefined
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset) ? "json" : undefined
}

export function unsupportedMediaType(request: DoorRequest): Refusal {
  const { json, protobuf } = OTLP_MEDIA_TYPES
  return {
    status: 415,
    reason: "bad_media_type",
    message: `The content type must be ${protobuf} or ${json}.`,
    sample: `Content-Type ${quoteForMessage(request.headers.get("content-type") ?? "")}`,
  }
}
