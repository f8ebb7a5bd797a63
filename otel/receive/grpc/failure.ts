import { Metadata, type ServiceError, status } from "@grpc/grpc-js"
import { encodeRetryStatus } from "../../wire/otlp/index.ts"
import { rpcCode } from "../answer.ts"
import type { Refusal } from "../refusal.ts"

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
