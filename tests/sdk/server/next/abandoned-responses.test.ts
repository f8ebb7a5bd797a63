import { connect } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { ask } from "#tests/app/plain-request.ts"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"

/** Lets compression buffer a whole response, so that Next ends the response long before all of it is sent. */
const LARGE_BUFFERS =
  "data:text/javascript,import{setDefaultHighWaterMark}from'node:stream';setDefaultHighWaterMark(false,2**27)"

let sentry: RecordingSentry
let collector: RecordingCollector
let app: AppUnderTest

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  const environment = {
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    NODE_OPTIONS: `--import=${LARGE_BUFFERS}`,
  }
  app = await startApp("server", { environment })
})

afterAll(async () => {
  await app?.stop()
  await sentry?.close()
  await collector?.close()
})

/** Requests a path, and resets the connection when the response has begun. */
function leave(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const { hostname, port } = new URL(app.origin)
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.on("error", reject)
    socket.on("close", () => resolve())
    socket.once("data", () => socket.resetAndDestroy())
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
  })
}

test.each([
  ["GET /api/long", {}],
  ["RSC GET /api/long", { rsc: "1" }],
])(
  "%s of a client that leaves while the response is compressed has a span, in the collector and in Sentry",
  async (name, headers) => {
    // Next redirects a request for the data of a page to an address that names the headers.
    const { location = "/api/long" } = "rsc" in headers ? (await ask(app.origin, "/api/long", { headers })).headers : {}
    await leave(location, { ...headers, "accept-encoding": "gzip" })
    const isRequest = (each: SpanRecord) => each.name === name && each.attributes.get("http.status_code") === 200n
    const span = await collector.waitForSpan("of the request", isRequest)
    expect(span.attributes.get("http.route")).toBe("/api/long")
    expect(span.status.code).toBe("unset")
    const isOfSpan = ({ contexts }: Payload) => contexts.trace.span_id === span.spanId
    const transaction = await sentry.waitForTransaction("of the request", isOfSpan)
    expect(transaction["transaction"]).toBe(name)
  },
)
