import type { TraceAPI } from "@opentelemetry/api"
import type { startTracing } from "./tracing.ts"

interface Stages {
  readonly startTracing: typeof startTracing
}

export declare function loadTracing(): Stages

export declare function loadApi(): { readonly trace: TraceAPI } | undefined
