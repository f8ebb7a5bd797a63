import { Metadata, type ServiceDefinition, type ServiceError, status, type UntypedHandleCall } from "@grpc/grpc-js"
import { encodeRetryStatus, type OtlpSignal } from "../../../protocol/otlp/responses.ts"
import { type Refusal, rpcCode } from "../../../protocol/transport/responses.ts"

/**
 * A refusal as a gRPC status. One that a client may send again is `UNAVAILABLE` with the time to wait as `RetryInfo`, by
 * which OTLP's exporters know both.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#failures
 */
export function failure({ status: httpStatus, message, retryAfterSeconds }: Refusal): ServiceError {
  const isRetryable = retryAfterSeconds !== undefined
  const code = isRetryable ? status.UNAVAILABLE : rpcCode(httpStatus)
  const metadata = new Metadata()
  if (isRetryable)
    metadata.set("grpc-status-details-bin", Buffer.from(encodeRetryStatus({ code, message }, retryAfterSeconds)))
  return Object.assign(new Error(message), { code, details: message, metadata })
}

/** Full names of OTLP's three services, whose one method is `Export`. */
const SERVICES = {
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
} as const satisfies Record<OtlpSignal, string>

const same = (bytes: Buffer): Buffer => bytes

/** Bytes in and out: what is in them is read by the one decoder that OTLP/HTTP has as well. */
export function serviceOf(signal: OtlpSignal): ServiceDefinition<{ Export: UntypedHandleCall }> {
  return {
    Export: {
      path: `/${SERVICES[signal]}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  }
}

/** The signal of a method's path. */
export function signalOf(path: string): OtlpSignal {
  if (path.includes(".logs.")) return "logs"
  return path.includes(".metrics.") ? "metrics" : "traces"
}
