import type { Browser } from "playwright-core"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { type AppUnderTest, startApp, type StartOptions } from "./app-under-test.ts"

/** An app with a browser for its visitors, and with the two endpoints to which it sends. */
export interface RecordedApp {
  readonly browser: Browser
  readonly sentry: RecordingSentry
  /** Receives OTLP/JSON. */
  readonly collector: RecordingServer
  readonly app: AppUnderTest
  stop(): Promise<void>
}

/**
 * @param name of the folder in `tests/pages`.
 * @param launch starts the browser of the visitors.
 */
export async function startRecordedApp(
  name: string,
  options: StartOptions = {},
  launch: () => Promise<Browser> = launchChromium,
): Promise<RecordedApp> {
  const browser = await launch()
  const sentry = await new RecordingSentry().listen()
  const collector = await new RecordingServer().listen()
  const ends = () => Promise.all([browser.close(), sentry.close(), collector.close()])
  try {
    const app = await startApp(name, {
      ...options,
      environment: {
        ...options.environment,
        SENTRY_DSN: sentry.dsn,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      },
    })
    const stop = async () => {
      await app.stop()
      await ends()
    }
    return { browser, sentry, collector, app, stop }
  } catch (error) {
    await ends()
    throw error
  }
}
