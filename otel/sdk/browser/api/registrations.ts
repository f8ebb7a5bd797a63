import type { ContextManager, TracerProvider } from "@opentelemetry/api"

/** What is registered with OpenTelemetry's API, by part. */
export interface Registrations {
  readonly version?: string
  trace?: TracerProvider | undefined
  context?: ContextManager | undefined
  [part: PropertyKey]: unknown
}

/** The name under which all copies of OpenTelemetry's API find what is registered. */
const REGISTRATIONS = Symbol.for("opentelemetry.js.api.1")
const globals = globalThis as { [REGISTRATIONS]?: Registrations | undefined }

export function registrations(): Registrations | undefined {
  return globals[REGISTRATIONS]
}

export function setRegistrations(registrations: Registrations): Registrations {
  return (globals[REGISTRATIONS] = registrations)
}

/** The first copy of the API that registers something begins anew. */
export function forgetRegistrations(): void {
  delete globals[REGISTRATIONS]
}
