import { afterAll, beforeAll } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { CACHED } from "#tests/sdk/browser/cases/builds.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

export type RecordedSpan = ReturnType<RecordingCollector["spans"]>[number]

export interface CachedApp {
  readonly app: AppUnderTest
  readonly collector: RecordingCollector
}

/** Runs the app that is built with `cacheComponents`, and a collector of its spans, for the tests of a file. */
export function cachedApp(): () => CachedApp {
  let collector: RecordingCollector
  let app: AppUnderTest
  beforeAll(async () => {
    collector = await new RecordingCollector().listen()
    const environment = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    }
    app = await startApp("routes", { environment, variant: CACHED.variant })
  })
  afterAll(async () => {
    await app?.stop()
    await collector?.close()
  })
  return () => ({ app, collector })
}
