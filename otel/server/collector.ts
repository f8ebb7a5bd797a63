import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import type { SpanExporter } from "@opentelemetry/sdk-trace-base"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * OpenTelemetry's own exporter for the collector that the `OTEL_EXPORTER_OTLP_*` variables name; it reads endpoint,
 * headers, timeout and compression itself. None where they name no endpoint.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function createCollectorExporter(environment: Environment): SpanExporter | undefined {
  const endpoint = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? environment["OTEL_EXPORTER_OTLP_ENDPOINT"]
  if (!endpoint || environment["OTEL_TRACES_EXPORTER"] === "none") return undefined
  const protocol = environment["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? environment["OTEL_EXPORTER_OTLP_PROTOCOL"]
  return protocol === "http/json" ? new JsonExporter() : new ProtobufExporter()
}
