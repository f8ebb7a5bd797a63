import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import type { SpanExporter } from "@opentelemetry/sdk-trace-base"
import { collectorEndpoint, type SdkConfig } from "./config.ts"

/**
 * OpenTelemetry's own exporter for the collector that the `OTEL_EXPORTER_OTLP_*` variables name; it reads headers, timeout,
 * compression and certificates itself. None where they name no endpoint.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function createCollectorExporter(config: SdkConfig): SpanExporter | undefined {
  const url = collectorEndpoint(config)
  if (url === undefined) return undefined
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL
  return protocol === "http/json" ? new JsonExporter({ url }) : new ProtobufExporter({ url })
}
