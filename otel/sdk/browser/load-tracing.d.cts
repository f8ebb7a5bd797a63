import type { CurrentRoot, startTracing } from "./tracing.ts"

interface Stages {
  readonly CurrentRoot: typeof CurrentRoot
  readonly startTracing: typeof startTracing
}

export declare function loadTracing(): Stages
