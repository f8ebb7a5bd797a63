import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const SECRET = "hunter2hunter2"

/** Variables of the inspector, about which the SDK logs nothing. */
const OF_THE_INSPECTOR = { HOST: "0.0.0.0", PORT: String.raw`\\.\pipe\abc`, CLICKHOUSE_URL: "clickhouse://x" }

const UNUSABLE = {
  SENTRY_DSN: `https://${SECRET}@nowhere`,
  PAGESPAN_TUNNEL: "monitoring",
  PAGESPAN_SPANS: "both",
  PAGESPAN_REQUEST_HEADERS: "Cookie",
  PAGESPAN_TRACE_ORIGINS: "cart.example",
  PAGESPAN_RETENTON: SECRET,
  OTEL_SDK_DISABLED: "maybe",
  OTEL_TRACES_SAMPLER: "parentbased_jaeger_remote",
  OTEL_TRACES_SAMPLER_ARG: "endpoint=http://jaeger:14250",
  OTEL_TRACES_EXPORTER: "jaeger",
  OTEL_PROPAGATORS: "b3",
  OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
  OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
}

let collector: RecordingCollector
let app: AppUnderTest

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  app = await startApp("server", {
    environment: {
      ...OF_THE_INSPECTOR,
      ...UNUSABLE,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
      OTEL_RESOURCE_ATTRIBUTES: "service.name=shop,service.version=1.2.3,deployment.environment.name=on%20stage",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  })
})

afterAll(async () => {
  await app?.stop()
  await collector?.close()
})

describe("an app whose environment has only values that the SDK cannot use", () => {
  test("starts, responds, and exports to the default endpoint", async () => {
    const response = await fetch(`${app.origin}/nested/7`)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('name="traceparent"')
    await collector.waitForSpan("of the page", ({ name }) => name === "GET /nested/[param]")
    expect(collector.requests.map(({ headers }) => headers["content-type"])).toContain("application/x-protobuf")
  })

  test("describes server and pages by OTEL_RESOURCE_ATTRIBUTES", async () => {
    const html = await (await fetch(`${app.origin}/nested/8`)).text()
    const [, settings = ""] = /name="pagespan" content="([^"]*)"/.exec(html) ?? []
    expect(JSON.parse(settings.replaceAll("&quot;", '"'))).toMatchObject({
      service: "shop-browser",
      release: "1.2.3",
      environment: "on stage",
    })
    const { resource } = await collector.waitForSpan("of the page", ({ name }) => name === "GET /nested/[param]")
    expect(Object.fromEntries(resource.attributes)).toMatchObject({
      "service.name": "shop",
      "service.version": "1.2.3",
      "deployment.environment.name": "on stage",
    })
  })

  test("reports its own errors as usual", async () => {
    expect((await fetch(`${app.origin}/api/fail/plain`)).status).toBe(500)
    await collector.waitForSpan("of the failed handler", ({ name }) => name === "GET /api/fail/[kind]")
  })

  test("logs one line for each variable, without secrets", async () => {
    const lines = () => app.output().match(/^pagespan: .+$/gm) ?? []
    await waitFor("the lines", () => lines().length > 0)
    expect(
      lines()
        .map((line) => line.split(" ")[1])
        .toSorted(),
    ).toEqual(Object.keys(UNUSABLE).toSorted())
    expect(app.output()).not.toContain(SECRET)
  })
})
