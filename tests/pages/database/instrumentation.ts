import { register as registerPagespan } from "pagespan/server"

export async function register() {
  if (process.env["NEXT_RUNTIME"] === "nodejs") {
    const { registerInstrumentations } = await import("@opentelemetry/instrumentation")
    const { PgInstrumentation } = await import("@opentelemetry/instrumentation-pg")
    registerInstrumentations({ instrumentations: [new PgInstrumentation({ requireParentSpan: true })] })
  }
  await registerPagespan()
}

export { onRequestError } from "pagespan/server"
