import type { startTracing } from "./tracing.ts"

interface Stages {
  readonly startTracing: typeof startTracing
}

export declare function loadTracing(): Stages
