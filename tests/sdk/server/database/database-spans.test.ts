import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { type AppUnderTest, startApp, type Variant } from "#tests/sdk/browser/app-under-test.ts"
import { FakePostgres } from "./fake-postgres.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

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
      const transaction = await sentry.waitForTransaction(path, (each) => each["transaction"] === `GET ${path}`)
      const sent = (transaction["spans"] as Record<string, any>[]).find(({ description }) => description === query) // oxlint-disable-line typescript/no-explicit-any
      expect(sent).toMatchObject({ op: "db", data: { "db.system.name": "postgresql" } })
      const traceId = transaction["contexts"].trace.trace_id
      const span = await collector.waitForSpan(query, (each) => each.spanId === sent!["span_id"])
      expect(span.traceId).toBe(traceId)
      const byId = new Map<string, SpanRecord>(collector.spans().map((each) => [each.spanId, each]))
      const above: SpanRecord[] = []
      for (let at = byId.get(span.parentSpanId ?? ""); at !== undefined; at = byId.get(at.parentSpanId ?? ""))
        above.push(at)
      expect(above.at(-1)?.name).toBe(`GET ${path}`)
      expect([JSON.stringify(transaction), ...span.attributes.values()].join("\n")).not.toContain("a secret value")
      expect(database.queries).toContain(query)
    },
  )
})
