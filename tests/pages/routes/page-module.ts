import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { setInstrumentations } from "pagespan/instrumentations"

setInstrumentations(() => [new FetchInstrumentation()])
