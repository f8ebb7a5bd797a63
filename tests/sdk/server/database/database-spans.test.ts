import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp, type Variant } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { FakePostgres } from "./fake-postgres.ts"
import { expectQuerySpan } from "./query-span.ts"

const BUNDLERS: readonly (readonly [string, Variant | undefined])[] = [
  ["Turbopack", undefined],
  ["webpack", { name: "webpack", buildArguments: ["--webpack"] }],
]

describe.each(BUNDLERS)("an app by %s with OpenTelemetry's instrumentation of pg", (_name, variant) => {
  let database: FakePostgres
  let sentry: RecordingSentry
  let collector: RecordingCollector
  let app: AppUnderTest

  beforeAll(async () => {
    database = await new FakePostgres().listen()
    sentry = await new RecordingSentry().listen()
    collector = await new RecordingCollector().listen()
    app = await startApp("database", {
      variant,
      environment: {
        DATABASE_URL: database.url,
        SENTRY_DSN: sentry.dsn,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      },
    })
  }, 900_000)

  afterAll(async () => {
    await app?.stop()
    await Promise.all([database?.close(), sentry?.close(), collector?.close()])
  })

  test.each([
    ["a page that queries with pg", "/pg", "SELECT $1::text AS name"],
    ["a route handler that queries with Drizzle", "/drizzle", "SELECT $1::text AS name"],
  ])(
    "%s has its query as a span below its request, over OTLP and in Sentry, without its values",
    async (_, path, query) => {
      expect((await fetch(`${app.origin}${path}`)).status).toBe(200)
      await expectQuerySpan({ sentry, collector }, path, query)
      expect(database.queries).toContain(query)
    },
  )
})
