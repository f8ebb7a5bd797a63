import { context, SpanStatusCode, trace } from "@opentelemetry/api"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { reportRequestError } from "#otel/sdk/server/request-errors.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/** A server with all its outputs, each recorded byte by byte. */
let sentry: RecordingSentry
let collector: RecordingCollector
const told: string[] = []
const logged: string[] = []

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  // OpenTelemetry's exporter reads its variables from the environment.
  Object.assign(process.env, {
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${SECRET}`,
    OTEL_RESOURCE_ATTRIBUTES: `deployment.token=${SECRET},service.version=1.2.3`,
  })
  startServer(process.env)
  setLocalInspector({
    spans: async (records) => void told.push(textOf(records)),
    drop: (drop) => told.push(textOf(drop)),
    refusal: () => undefined,
  })
})

afterAll(async () => {
  setLocalInspector(undefined)
  vi.restoreAllMocks()
  await sentry?.close()
  await collector?.close()
})

afterEach(() => {
  sentry.clear()
  collector.clear()
  told.length = 0
})

const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Map) return [...part]
    return typeof part === "bigint" ? String(part) : part
  })

/** Everything that was sent or can be shown. Only the collector's own header may contain a secret. */
function everythingOut(): string {
  const requests = [...sentry.requests, ...collector.requests].map(({ path, headers, body }) => {
    const { "x-collector-key": _own, ...others } = headers
    return `${path} ${JSON.stringify(others)} ${body.toString("latin1")}`
  })
  return [...requests, ...told, ...logged].join("\n")
}

/** A bare secret and a cookie are plain text unless they are under their key. */
const isRecognisable = (value: string) => value !== SECRET && value !== `sid=${SECRET}`

test.each(SECRET_SHAPES)("nothing that a server sends contains the secret in %s = %s", async (key, value) => {
  const shown = isRecognisable(value) ? value : "nothing"
  const tracer = trace.getTracer("test")
  const root = tracer.startSpan(`GET ${shown}`, { root: true, attributes: { [key]: value } })
  await context.with(trace.setSpan(context.active(), root), async () => {
    root.addEvent("retry", { [key]: value })
    root.setStatus({ code: SpanStatusCode.ERROR, message: shown })
    tracer.startSpan(`fetch ${shown}`, { attributes: { [key]: [value] } }).end()
    reportRequestError(
      new Error(`the request failed: ${shown}`, { cause: new TypeError(`because of ${shown}`) }),
      {
        path: `/reset/7?token=${SECRET}#${SECRET}`,
        method: "POST",
        headers: { cookie: `sid=${SECRET}`, authorization: `Bearer ${SECRET}`, "x-api-key": SECRET, accept: "*/*" },
      },
      { routerKind: "App Router", routePath: "/reset/[id]", routeType: "route", revalidateReason: undefined },
    )
  })
  root.end()
  await serverRuntime()?.flush()
  expect(sentry.transactions()).toHaveLength(1)
  expect(sentry.errors()).toHaveLength(1)
  expect(collector.spans().length).toBeGreaterThanOrEqual(2)
  expect(everythingOut().match(new RegExp(`.{80}${SECRET}`, "g")) ?? []).toEqual([])
})
