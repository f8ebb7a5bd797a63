import { type TracerProvider, trace } from "@opentelemetry/api"
import { warn } from "./warn.ts"

/** Where every copy of `@opentelemetry/api` 1.x keeps what is registered, with the version of the copy that came first. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1")

/** Says so when Next's spans go elsewhere: to another SDK that was first, or to another copy of the API. */
export function warnOfRival(provider: TracerProvider): void {
  const registered = trace.getTracerProvider() as { getDelegate?: () => unknown }
  if (registered.getDelegate?.() === provider) return
  const { version = "?" } = (globalThis as { [REGISTERED]?: { version?: string } })[REGISTERED] ?? {}
  warn(
    `another OpenTelemetry SDK was registered first, or a second copy of @opentelemetry/api (${version}): this server's spans go there. ` +
      `Register one SDK, and see npm ls @opentelemetry/api`,
  )
}
