import type { OtlpEncoding } from "../../protocol/otlp/message.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"

/** Logs of one request, as they arrived. */
export interface LogsRequest {
  readonly logsRequest: Uint8Array
  readonly encoding: OtlpEncoding
  readonly logCount: number
}

/** What a handler has acknowledged, for forwarding: decoded spans, a request of logs, or an envelope's bytes. */
export type Acknowledged = { readonly spans: readonly SpanRecord[] } | LogsRequest | { readonly envelope: Uint8Array }
