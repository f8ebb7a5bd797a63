/** The two encodings of OTLP/HTTP, which share a port and are told apart by `Content-Type`. */
export type OtlpEncoding = "json" | "protobuf"

export const OTLP_MEDIA_TYPES = {
  json: "application/json",
  protobuf: "application/x-protobuf",
} as const satisfies Record<OtlpEncoding, string>
