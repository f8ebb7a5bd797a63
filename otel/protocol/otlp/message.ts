import protobuf from "protobufjs/light.js"
import { DEPTH_LIMIT } from "../limits.ts"
import { OTLP_DESCRIPTOR } from "./descriptor.ts"

/** The encodings of OTLP/HTTP, which `Content-Type` distinguishes. */
export type OtlpEncoding = "json" | "protobuf"

export const OTLP_MEDIA_TYPES = {
  json: "application/json",
  protobuf: "application/x-protobuf",
} as const satisfies Record<OtlpEncoding, string>

/** Request, resource, scope, span, event, attribute: messages above the outermost value. */
const LEVELS_ABOVE_A_VALUE = 6
/** `AnyValue` in `KeyValue` in `KeyValueList` in `AnyValue`: the most messages that one level of nesting takes. */
const LEVELS_OF_A_VALUE = 3

/**
 * protobufjs stops at 100 nested messages, fewer than `DEPTH_LIMIT` values may take. One more level is allowed, so that a value
 * slightly too deep is cut as in JSON. A deeper one refuses the request.
 */
export const MAX_MESSAGE_DEPTH = LEVELS_ABOVE_A_VALUE + LEVELS_OF_A_VALUE * (DEPTH_LIMIT + 1)
protobuf.Reader.recursionLimit = MAX_MESSAGE_DEPTH

const root = protobuf.Root.fromJSON(OTLP_DESCRIPTOR)

export type OtlpMessage = keyof typeof OTLP_DESCRIPTOR.nested

/** The protobufjs type of a message; its objects have OTLP/JSON's field names. */
export function otlpType(name: OtlpMessage): protobuf.Type {
  return root.lookupType(name)
}

/** A request that is refused as a whole: it is malformed, or decoding it would exceed a limit. */
export interface Undecodable {
  readonly ok: false
  readonly reason: "malformed" | "too_large" | "limit_spans"
  /** A description that quotes nothing of the request. */
  readonly problem: string
  /** Number of its records, if known. */
  readonly count?: number
}

export function undecodable(reason: Undecodable["reason"], problem: string): Undecodable {
  return { ok: false, reason, problem }
}
