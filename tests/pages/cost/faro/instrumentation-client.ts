import { getWebInstrumentations, initializeFaro } from "@grafana/faro-web-sdk"
import { TracingInstrumentation } from "@grafana/faro-web-tracing"

// Beside the packages of its own lockfile, which only the benchmark installs.
initializeFaro({
  url: "/telemetry",
  app: { name: "cost", version: "1.0.0" },
  instrumentations: [...getWebInstrumentations(), new TracingInstrumentation()],
})
