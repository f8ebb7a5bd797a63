import type { OtlpEncoding } from "../../protocol/otlp/message.ts"
import type { DropCategory } from "../../protocol/records/drop.ts"

/** How the name of a queued file says what an OTLP body is: its kind is the encoding, its category the signal. */

/** JSON is `otlp`, as in the queues of earlier versions, which had no other encoding. */
export const OTLP_KINDS: Readonly<Record<OtlpEncoding, string>> = { json: "otlp", protobuf: "protobuf" }

/** `undefined` if the body is no OTLP. */
export function otlpEncodingOf(kind: string): OtlpEncoding | undefined {
  return kind === OTLP_KINDS.json ? "json" : kind === OTLP_KINDS.protobuf ? "protobuf" : undefined
}

export function signalOf(category: DropCategory): "traces" | "logs" {
  return category === "log_item" ? "logs" : "traces"
}
