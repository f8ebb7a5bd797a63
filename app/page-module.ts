import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { setInstrumentations } from "pagespan/instrumentations"

// Runs in each page before it hydrates. The network events of the instrumentation show where a request of a screen spends its
// time.
setInstrumentations(() => [new FetchInstrumentation()])
