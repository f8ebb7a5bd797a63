import { type OtlpEncoding, otlpType } from "./message.ts"

/** The signals of OTLP, each with the field that counts its rejected records. */
export const REJECTED_FIELD = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
} as const
export type OtlpSignal = keyof typeof REJECTED_FIELD

const RESPONSE_TYPE = {
  traces: "ExportTraceServiceResponse",
  logs: "ExportLogsServiceResponse",
  metrics: "ExportMetricsServiceResponse",
} as const satisfies Record<OtlpSignal, string>

export interface PartialSuccess {
  /** 0 with a message is a warning: all records were accepted. */
  readonly rejected: number
  /** In English, as the specification requires. */
  readonly message: string
}

/** An `Export…ServiceResponse`. Without partial success it is empty: `{}` in JSON, no bytes in protobuf. */
export function encodeResponse(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
): Uint8Array {
  const field = REJECTED_FIELD[signal]
  if (encoding === "json")
    return jsonBytes(
      partial === undefined
        ? {}
        : { partialSuccess: { [field]: String(partial.rejected), errorMessage: partial.message } },
    )
  const response =
    partial === undefined ? {} : { partialSuccess: { [field]: partial.rejected, errorMessage: partial.message } }
  return otlpType(RESPONSE_TYPE[signal]).encode(response).finish()
}

/**
 * Number of records that a collector rejected, from its `Export…ServiceResponse`. 0 for any other body.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function rejectedIn(body: Uint8Array, signal: OtlpSignal, encoding: OtlpEncoding): number {
  try {
    const isJson = encoding === "json"
    return rejectedOf(
      isJson ? JSON.parse(new TextDecoder().decode(body)) : otlpType(RESPONSE_TYPE[signal]).decode(body),
      signal,
    )
  } catch {
    return 0
  }
}

/** The same, of a decoded response. 64-bit integers of OTLP/JSON are text or numbers. */
export function rejectedOf(response: unknown, signal: OtlpSignal): number {
  const { partialSuccess } = (response ?? {}) as { partialSuccess?: Partial<Record<string, unknown>> | null }
  const rejected = Number(partialSuccess?.[REJECTED_FIELD[signal]] ?? 0)
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
}

export interface RpcStatus {
  /** A `google.rpc.Code`. */
  readonly code: number
  readonly message: string
}

/** The `google.rpc.Status` in every error response. */
export function encodeStatus(encoding: OtlpEncoding, { code, message }: RpcStatus): Uint8Array {
  return encoding === "json" ? jsonBytes({ code, message }) : otlpType("Status").encode({ code, message }).finish()
}

/** The status with the time to retry after, as in gRPC's `grpc-status-details-bin`. */
export function encodeRetryStatus({ code, message }: RpcStatus, seconds: number): Uint8Array {
  const value = otlpType("RetryInfo").encode({ retryDelay: { seconds } }).finish()
  const details = [{ typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value }]
  return otlpType("Status").encode({ code, message, details }).finish()
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
