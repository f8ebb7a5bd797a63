import { register as registerPagespan } from "pagespan/server"

export async function register() {
  if (process.env["NEXT_RUNTIME"] === "nodejs") {
    const { registerInstrumentations } = await import("@opentelemetry/instrumentation")
    const { PrismaInstrumentation } = await import("@prisma/instrumentation")
    registerInstrumentations({ instrumentations: [new PrismaInstrumentation()] })
  }
  await registerPagespan()
}

export { onRequestError } from "pagespan/server"
