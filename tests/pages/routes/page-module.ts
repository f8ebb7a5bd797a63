import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { setInstrumentations } from "pagespan/instrumentations"

/** Set by a test, before the page's scripts run. */
declare global {
  interface Window {
    failingInstrumentation?: "create" | "setTracerProvider"
  }
}

setInstrumentations(() => {
  const instrumentation = new FetchInstrumentation()
  if (window.failingInstrumentation === "create") throw new Error("an option is unknown")
  if (window.failingInstrumentation === "setTracerProvider")
    instrumentation.setTracerProvider = () => {
      throw new Error("an option is unknown")
    }
  return [instrumentation]
})
