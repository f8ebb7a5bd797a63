import { type OtlpEncoding, otlpType } from "./message.ts"

/** The signals of OTLP, with the name under which each counts what it rejected. */
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
  /** 0 with a message is a warning: all was accepted, but there is something to say. */
  readonly rejected: number
  /** In English, as the specification asks. */
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

export interface RpcStatus {
  /** A `google.rpc.Code`. */
  readonly code: number
  readonly message: string
}

/** The `google.rpc.Status` that every error answer carries. */
export function encodeStatus(encoding: OtlpEncoding, { code, message }: RpcStatus): Uint8Array {
  return encoding === "json" ? jsonBytes({ code, message }) : otlpType("Status").encode({ code, message }).finish()
}

/** The status with the time after which to send again, as gRPC carries it in `grpc-status-details-bin`. */
export function encodeRetryStatus({ code, message }: RpcStatus, seconds: number): Uint8Array {
  const value = otlpType("RetryInfo").encode({ retryDelay: { seconds } }).finish()
  const details = [{ typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value }]
  return otlpType("Status").encode({ code, message, details }).finish()
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
