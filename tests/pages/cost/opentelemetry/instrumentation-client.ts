import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { registerInstrumentations } from "@opentelemetry/instrumentation"
import { DocumentLoadInstrumentation } from "@opentelemetry/instrumentation-document-load"
import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { BatchSpanProcessor, WebTracerProvider } from "@opentelemetry/sdk-trace-web"

const exporter = new OTLPTraceExporter({ url: "/telemetry" })
new WebTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }).register()
registerInstrumentations({ instrumentations: [new DocumentLoadInstrumentation(), new FetchInstrumentation()] })
