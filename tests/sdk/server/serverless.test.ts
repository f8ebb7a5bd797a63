import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { RequestDelivery } from "#otel/sdk/server/serverless.ts"
import { type AppUnderTest, buildApp, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/** Longer than every timer of the SDK that holds data back without a host that stops the process. */
const TIMERS_MS = 6_000
const HOST = join(import.meta.dirname, "stopping-host.mjs")

let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  await buildApp("server")
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
})

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

/** A server on a host that stops it after each request. */
class StoppedApp {
  readonly #app: AppUnderTest

  private constructor(app: AppUnderTest) {
    this.#app = app
  }

  static async start(environment: Record<string, string> = {}): Promise<StoppedApp> {
    const own = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...environment }
    const app = new StoppedApp(await startApp("server", { environment: { ...own, NODE_OPTIONS: `--import=${HOST}` } }))
    await app.stopped()
    return app
  }

  /** Lets the process run, reads the response, and resolves when the host has stopped the process again. */
  async request(path: string, init?: RequestInit): Promise<Response> {
    sentry.clear()
    collector.clear()
    this.resume()
    const response = await fetch(`${this.#app.origin}${path}`, { headers: { connection: "close" }, ...init })
    const body = await response.text()
    await this.stopped()
    return new Response(body === "" ? null : body, { status: response.status })
  }

  resume(): void {
    process.kill(this.#pid(), "SIGCONT")
  }

  /** What the host printed, in order. */
  lines(): string[] {
    return this.#app.output().match(/^host: .+$/gm) ?? []
  }

  async stop(): Promise<void> {
    this.resume()
    await this.#app.stop()
  }

  async stopped(): Promise<void> {
    await waitFor("the host to stop the process", () => {
      if (!this.lines().at(-1)?.startsWith("host: stops ")) return false
      return /\) T /.test(readFileSync(`/proc/${this.#pid()}/stat`, "utf8"))
    })
  }

  #pid(): number {
    return Number(/^host: stops (\d+)$/m.exec(this.#app.output())?.[1])
  }
}

const spansInSentry = () =>
  sentry
    .transactions()
    .flatMap(({ contexts, spans }) => [contexts.trace.span_id, ...spans.map((span: Payload) => span["span_id"])])
const spansInCollector = () => collector.spans().map(({ spanId }) => String(spanId))
const namesInCollector = () => collector.spans().map(({ name }) => name)
const arrived = () => ({
  spansInSentry: spansInSentry().toSorted(),
  spansInCollector: spansInCollector().toSorted(),
  errors: sentry.errors().length,
})

describe("on a host that stops the process after the response", () => {
  let app: StoppedApp

  beforeAll(async () => {
    app = await StoppedApp.start()
  })

  afterAll(() => app?.stop())

  /** Lets the process run for longer than any of its timers: what it held back would arrive now. */
  async function nothingIsMissing() {
    const before = arrived()
    app.resume()
    await sleep(TIMERS_MS)
    expect(arrived()).toEqual(before)
  }

  test("the spans of a request arrive, including those of a streamed part", async () => {
    await app.request("/late/7")
    expect(namesInCollector()).toContain("GET /late/[id]")
    expect(namesInCollector().length).toBeGreaterThan(3)
    expect(spansInSentry().toSorted()).toEqual(spansInCollector().toSorted())
    expect(sentry.transactions().map(({ transaction }) => transaction)).toEqual(["GET /late/[id]"])
    await nothingIsMissing()
  })

  test("an error arrives, with the transaction of its request", async () => {
    const { status } = await app.request("/api/fail/plain")
    expect(status).toBe(500)
    const [error] = sentry.errors()
    const [transaction] = sentry.transactions()
    expect([sentry.errors().length, sentry.transactions().length]).toEqual([1, 1])
    expect(error?.["contexts"].trace.trace_id).toBe(transaction?.["contexts"].trace.trace_id)
    expect(spansInSentry().toSorted()).toEqual(spansInCollector().toSorted())
    await nothingIsMissing()
  })

  test("a span that starts after the response arrives", async () => {
    await app.request("/api/after")
    expect(namesInCollector()).toContain("work after the response")
    expect(spansInSentry().toSorted()).toEqual(spansInCollector().toSorted())
    await nothingIsMissing()
  })

  test("what a page sends through the tunnel arrives", async () => {
    const traceId = "a".repeat(32)
    const span = { traceId, spanId: "b".repeat(16), name: "pageload", startTimeUnixNano: "1", endTimeUnixNano: "2" }
    const otlp = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
    const headers = { connection: "close", "content-type": "application/json" }
    const { status } = await app.request("/monitoring", { method: "POST", body: otlp, headers })
    expect(status).toBe(204)
    expect(namesInCollector()).toEqual(["pageload"])
    const envelope = `${JSON.stringify({ dsn: sentry.dsn })}\n{"type":"event"}\n{"message":"of a page"}`
    await app.request("/monitoring", { method: "POST", body: envelope, headers: { connection: "close" } })
    expect(sentry.errors()).toMatchObject([{ message: "of a page" }])
  })
})

test("an error arrives even if the trace of its request is not sampled", async () => {
  const app = await StoppedApp.start({ OTEL_TRACES_SAMPLER: "always_off" })
  try {
    await app.request("/api/fail/plain")
    expect(sentry.errors()).toHaveLength(1)
    expect([sentry.transactions(), collector.spans()]).toEqual([[], []])
  } finally {
    await app.stop()
  }
})

describe("with a collector that never responds", () => {
  let hanging: Server
  let app: StoppedApp

  beforeAll(async () => {
    hanging = createServer(() => undefined)
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve))
    const endpoint = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`
    app = await StoppedApp.start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  })

  afterAll(async () => {
    await app?.stop()
    hanging?.closeAllConnections()
    hanging?.close()
  })

  test("the response does not wait for the delivery, which keeps the process alive for a bounded time", async () => {
    expect((await app.request("/late/8")).status).toBe(200)
    const lines = app.lines().slice(-3)
    expect(lines.slice(0, 2)).toEqual(["host: response of /late/8 is out", "host: all of /late/8 has settled"])
    expect(sentry.transactions()).toHaveLength(1)
  })
})

/** Where Next's hosts put the context of a request. */
const CONTEXT = Symbol.for("@next/request-context")
const globals = globalThis as { [CONTEXT]?: unknown }

test("spans that never end take no later request's place on a host that stops the process", async () => {
  const held: Promise<void>[] = []
  globals[CONTEXT] = { get: () => ({ waitUntil: (work: Promise<void>) => held.push(work) }) }
  onTestFinished(() => void delete globals[CONTEXT])
  const delivered: string[] = []
  const delivery = new RequestDelivery({ deliver: async (rootId) => delivered.push(rootId), graceMs: 0 })
  const request = (index: number) => {
    const spanId = index.toString(16).padStart(16, "0")
    const root = finishedSpan({ spanId })
    delivery.onStart(root)
    delivery.onStart(finishedSpan({ spanId: spanId.replace(/^0/, "f"), parent: { spanId } }))
    delivery.onEnd(root)
  }
  for (let index = 1; index <= 10_000; index++) request(index)
  await Promise.all(held)
  request(10_001)
  await Promise.all(held)
  expect([held.length, delivered.length]).toEqual([10_001, 10_001])
})
