import type { SpanExporter } from "@opentelemetry/sdk-trace-base"
import type { SdkConfig } from "../config.ts"
import type { PageSettings } from "../page-settings.ts"
import { processState } from "../process-state.ts"

/** What `register()` set up in this process. The tunnel reads it. */
export interface ServerRuntime {
  readonly config: SdkConfig
  readonly pageSettings: PageSettings
  /** Exporter of page spans to the configured collector, if there is one. */
  readonly collector: SpanExporter | undefined
  /** Delivers buffered spans and envelopes, for at most two seconds. Never rejects. */
  flush(): Promise<void>
}

const state = processState<ServerRuntime>("server")

export function setServerRuntime(runtime: ServerRuntime): void {
  state.value = runtime
}

/** `undefined` before `register()` ran, and where tracing is disabled. */
export function serverRuntime(): ServerRuntime | undefined {
  return state.value
}
