import type { ServiceDefinition, UntypedHandleCall } from "@grpc/grpc-js"
import type { OtlpSignal } from "../../wire/otlp/index.ts"

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
