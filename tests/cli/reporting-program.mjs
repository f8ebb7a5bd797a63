import { context, trace } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { defaultResource, detectResources, envDetector } from "@opentelemetry/resources"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"

// A program whose OpenTelemetry SDK is configured by the environment only. Argument: its exit code.
const provider = new NodeTracerProvider({
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
})
provider.register()
const tracer = provider.getTracer("program")
const root = tracer.startSpan("GET /cart", {
  attributes: { "http.route": "/cart", authorization: "Bearer opensesame" },
})
const inRoot = trace.setSpan(context.active(), root)
for (let index = 0; index < 6; index++) {
  const query = tracer.startSpan("SELECT items", { attributes: { "db.query.text": "SELECT 1" } }, inRoot)
  if (index === 5) {
    query.recordException(new TypeError("no such item"))
    query.setStatus({ code: 2, message: "no such item" })
  }
  query.end()
}
root.end()
await provider.shutdown()
console.log(`reported as ${process.env.OTEL_RESOURCE_ATTRIBUTES}`)
process.exitCode = Number(process.argv[2] ?? 0)
