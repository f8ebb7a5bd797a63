import type { SpanExporter } from "@opentelemetry/sdk-trace-base"
import type { SdkConfig } from "../config.ts"
import type { PageSettings } from "../page-settings.ts"

/** What this process was started with, for the tunnel and for a clean stop. */
export interface ServerRuntime {
  readonly config: SdkConfig
  readonly pageSettings: PageSettings
  /** The configured collector's exporter, where there is one; the tunnel hands it the spans of pages. */
  readonly collector: SpanExporter | undefined
  /** Delivers what is waiting, for at most two seconds. Never rejects. */
  flush(): Promise<void>
}

const KEY = Symbol.for("pagespan.server")
type Holder = { [KEY]?: ServerRuntime }

/** Kept on the global object: Next bundles instrumentation and routes apart. */
export function setServerRuntime(runtime: ServerRuntime): void {
  ;(globalThis as Holder)[KEY] = runtime
}

/** `undefined` before `register()` ran, and where tracing is disabled. */
export function serverRuntime(): ServerRuntime | undefined {
  return (globalThis as Holder)[KEY]
}
