import { metrics, SpanStatusCode, trace } from "@opentelemetry/api"
import { NodeSDK } from "@opentelemetry/sdk-node"

/** A small program that starts OpenTelemetry's SDK as its documentation does. Only `OTEL_*` variables configure it. */
const sdk = new NodeSDK()
sdk.start()

const tracer = trace.getTracer("program", "1.2.3")
tracer.startActiveSpan("checkout", (root) => {
  tracer.startActiveSpan("pay", (child) => {
    child.setAttribute("rows", 3)
    child.recordException(new TypeError("no such cart"))
    child.setStatus({ code: SpanStatusCode.ERROR, message: "no such cart" })
    child.end()
  })
  root.end()
})
metrics.getMeter("program").createCounter("carts").add(1)

await sdk.shutdown()
