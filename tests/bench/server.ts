import { Agent, createServer, get, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { cpuSeconds } from "./ingest/process-figures.ts"
import { percentile } from "./percentile.ts"

/**
 * Measures what tracing costs a Next server: CPU per request, requests per second and p95, where every trace is sampled and
 * where none is, beside `@sentry/nextjs` and OpenTelemetry's SDK alone. Run it with `npm run bench:server`. All servers render
 * the same page and take turns, since times depend on the machine; compare the ratios.
 */
const ROUNDS = Number(process.env["PAGESPAN_BENCH_ROUNDS"] ?? 7)
const REQUESTS = Number(process.env["PAGESPAN_BENCH_REQUESTS"] ?? 400)
/** Turns before the first measured one, in which the servers' code is compiled. */
const WARM_UP = 3
const SENDERS = 4
/** Longer than the SDKs' delays, so that the deliveries of a turn belong to it. */
const DELIVERY_MS = 1_500

const TRACERS = ["pagespan", "sentry", "opentelemetry"] as const
type Tracer = (typeof TRACERS)[number]

interface Turn {
  readonly cpuMs: number
  readonly perSecond: number
  readonly p95: number
  /** What arrived at Sentry and at the collector, compressed as it was sent. */
  readonly sentBytes: number
}

interface Contestant {
  readonly name: string
  readonly app: AppUnderTest
  readonly turns: Turn[]
}

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
let receivedBytes = 0
/** Sentry and collector in one: accepts everything. */
const sink: Server = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => (receivedBytes += chunk.length))
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve))
const { port } = sink.address() as AddressInfo
const contestants: Contestant[] = []
try {
  await add("bare", "bare", 0)
  for (const tracer of TRACERS) {
    await add(`${tracer}, sampled`, tracer, 1)
    await add(`${tracer}, unsampled`, tracer, 0)
  }
  for (const { app } of contestants) for (let turn = 0; turn < WARM_UP; turn++) await load(app)
  for (let round = 0; round < ROUNDS; round++) for (const { app, turns } of contestants) turns.push(await measure(app))
  report()
} finally {
  for (const { app } of contestants) await app.stop()
  agent.destroy()
  sink.closeAllConnections()
  sink.close()
}

async function add(name: string, variant: "bare" | Tracer, rate: number): Promise<void> {
  const environment = {
    SENTRY_DSN: variant === "opentelemetry" ? "" : `http://key@127.0.0.1:${port}/1`,
    // Pagespan sends to Sentry and to the collector in one server; the others do one of the two.
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "500",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: String(rate),
  }
  contestants.push({
    name,
    app: await startApp("bench-server", { environment, variant: { name: variant } }),
    turns: [],
  })
}

async function measure(app: AppUnderTest): Promise<Turn> {
  const before = cpuSeconds(app.pid)
  const receivedBefore = receivedBytes
  const start = performance.now()
  const times = await load(app)
  const seconds = (performance.now() - start) / 1_000
  await new Promise((resolve) => setTimeout(resolve, DELIVERY_MS))
  return {
    cpuMs: ((cpuSeconds(app.pid) - before) / REQUESTS) * 1_000,
    perSecond: REQUESTS / seconds,
    p95: percentile(times, 0.95),
    sentBytes: (receivedBytes - receivedBefore) / REQUESTS,
  }
}

/** Resolves with the milliseconds of each request. */
async function load({ origin }: AppUnderTest): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const send = async () => {
    while (next < REQUESTS) {
      const start = performance.now()
      await requested(`${origin}/items/${next++}`)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  return times
}

function requested(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.resume().on("end", resolve).on("error", reject)
    }).on("error", reject)
  })
}

function report(): void {
  const median = (turns: readonly Turn[], figure: keyof Turn) =>
    percentile(
      turns.map((turn) => turn[figure]),
      0.5,
    )
  const bare = contestants[0]?.turns ?? []
  /** CPU over the bare server, in each round, since other load changes between rounds. */
  const added = (name: string) => {
    const turns = contestants.find((each) => each.name === name)?.turns ?? []
    return percentile(
      turns.map(({ cpuMs }, round) => cpuMs - (bare[round]?.cpuMs ?? Number.NaN)),
      0.5,
    )
  }
  console.log(`Node ${process.version}, ${ROUNDS} rounds of ${REQUESTS} requests from ${SENDERS} senders, medians\n`)
  console.log("server                     CPU/request  over bare   requests/s        p95   sent/request")
  for (const { name, turns } of contestants) {
    const figures = [
      `${median(turns, "cpuMs").toFixed(2)} ms`.padStart(11),
      `${added(name).toFixed(2)} ms`.padStart(11),
      median(turns, "perSecond").toFixed(0).padStart(12),
      `${median(turns, "p95").toFixed(1)} ms`.padStart(11),
      `${median(turns, "sentBytes").toFixed(0)} B`.padStart(15),
    ]
    console.log(`${name.padEnd(26)} ${figures.join("")}`)
  }
  console.log("\nCPU that tracing adds, unsampled to sampled, and sampled to Pagespan's:")
  const own = added("pagespan, sampled")
  for (const tracer of TRACERS) {
    const sampled = added(`${tracer}, sampled`)
    const share = (added(`${tracer}, unsampled`) / sampled) * 100
    console.log(`${tracer.padEnd(15)} ${share.toFixed(0).padStart(4)} %   ${(sampled / own).toFixed(2)}`)
  }
}
