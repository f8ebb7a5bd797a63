import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "./foreign-app.ts"

const VERCEL = [
  "@vercel/otel",
  ...["api", "api-logs", "instrumentation", "resources", "sdk-logs", "sdk-metrics", "sdk-trace-base"].map(
    (name) => `@opentelemetry/${name}`,
  ),
]

/** As `init` and its notice leave it. A middleware makes Next compile it for the edge runtime as well. */
const INSTRUMENTATION = `import { registerOTel } from "@vercel/otel"
import { onRequestError as reportToPagespan, PagespanSpanProcessor, register as registerPagespan } from "pagespan/server"
import type { Instrumentation } from "next"

export async function register() {
  registerOTel({ serviceName: "shop-server", spanProcessors: ["auto", new PagespanSpanProcessor({ exportToCollector: false })] })
  await registerPagespan()
}

export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  await reportToPagespan(error, request, context)
  console.error("own hook", request.path)
}
`
const MIDDLEWARE = `export function middleware() {}\nexport const config = { matcher: "/none" }\n`

let browser: Browser
let sentry: RecordingSentry
let collector: RecordingCollector
let app: ForeignApp
let origin: string

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await ForeignApp.create("fresh", [...NEXT_PACKAGES, ...SENTRY_PACKAGES, ...VERCEL])
  writeFileSync(join(app.directory, "src/instrumentation.ts"), INSTRUMENTATION)
  writeFileSync(join(app.directory, "src/middleware.ts"), MIDDLEWARE)
  await app.run("next", ["build"], { NODE_ENV: "production", SENTRY_RELEASE: "2.4.0" })
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  app.spawn("next", ["start", "--port", String(port), "--hostname", "127.0.0.1"], {
    NODE_ENV: "production",
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  })
  await app.answers(`${origin}/shop/items/1`)
})

afterAll(async () => {
  await app?.remove()
  await browser?.close()
  await sentry?.close()
  await collector?.close()
})

test("page and server are one trace in Sentry and in the collector, once, under one service name and release", async () => {
  const page = await browser.newPage()
  await page.goto(`${origin}/shop`)
  await page.getByRole("link", { name: "Seventh item" }).click()
  await page.getByRole("heading", { name: "Item 7" }).waitFor()
  const navigation = await sentry.waitForTransaction(
    "of the navigation",
    (each) => each["transaction"] === "/items/[id]",
  )
  const { trace_id } = navigation["contexts"].trace
  expect(navigation).toMatchObject({ release: "2.4.0" })
  const server = await sentry.waitForTransaction(
    "of its request",
    ({ platform, contexts }) => platform === "node" && contexts.trace.trace_id === trace_id,
  )
  expect(server).toMatchObject({ release: "2.4.0" })
  expect(server["transaction"]).toMatch(/GET \/items\/\[id\]$/)
  const ofServer = await collector.waitForSpan(
    "of its request",
    ({ traceId, spanId }) => traceId === trace_id && spanId === server["contexts"].trace.span_id,
  )
  const ofPage = await collector.waitForSpan(
    "of the page",
    ({ traceId, spanId }) => traceId === trace_id && spanId === navigation["contexts"].trace.span_id,
  )
  const services = [ofServer, ofPage].map(({ resource }) => resource.attributes.get("service.name"))
  expect(services).toEqual(["shop-server", "shop-server-browser"])
  await page.close()

  const ids = collector.spans().map(({ spanId }) => spanId)
  expect(new Set(ids).size).toBe(ids.length)
  const names = [
    ...collector.spans().map(({ name }) => name),
    ...sentry.transactions().map((each) => each["transaction"]),
  ]
  expect(names.filter((name) => /monitoring|envelope/.test(String(name)))).toEqual([])
  expect(app.output).not.toContain("pagespan:")
})
