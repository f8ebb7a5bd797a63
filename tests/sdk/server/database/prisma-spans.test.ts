import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { allBlocks } from "#tests/docs/blocks.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "#tests/package/foreign-app.ts"
import { lockedPackages } from "#tests/package/locked-packages.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { FakePostgres } from "./fake-postgres.ts"
import { expectQuerySpan } from "./query-span.ts"

const QUERY = /^SELECT .*"Item"/

let database: FakePostgres
let sentry: RecordingSentry
let collector: RecordingCollector
let app: ForeignApp

beforeAll(async () => {
  database = await new FakePostgres().listen()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await ForeignApp.create("prisma", [...NEXT_PACKAGES, ...SENTRY_PACKAGES], await lockedPackages("prisma"))
  // `prisma generate` does not run the engine that it would download. Any file stands for it.
  await app.run("prisma", ["generate"], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath })
})

afterAll(async () => {
  await app?.remove()
  await Promise.all([database?.close(), sentry?.close(), collector?.close()])
})

test("a page that queries with Prisma has its query as a span below its request, over OTLP and in Sentry, without its values", async () => {
  await app.run("next", ["build"], { NODE_ENV: "production" })
  const port = await freePort()
  app.spawn("next", ["start", "--port", String(port), "--hostname", "127.0.0.1"], {
    NODE_ENV: "production",
    DATABASE_URL: database.url,
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  })
  await app.answers(`http://127.0.0.1:${port}/`)
  const above = await expectQuerySpan({ sentry, collector }, "/", QUERY)
  expect(above.map(({ name }) => name)).toContain("prisma:client:operation")
  expect(database.queries.some((query) => QUERY.test(query))).toBe(true)
  expect(app.output).not.toContain("pagespan:")
})

test("the guide shows lines of this app", () => {
  const shown = allBlocks().filter(({ file, language }) => file.endsWith("database-spans.md") && language === "text")
  const lines = shown.flatMap(({ text }) => text.split("\n")).map((line) => line.trim())
  const files = ["instrumentation.ts", "app/database.ts"].map((file) => readFileSync(join(app.directory, file), "utf8"))
  expect(lines.filter((line) => line !== "" && !files.some((text) => text.includes(line)))).toEqual([])
  expect(lines.length).toBeGreaterThan(4)
})
