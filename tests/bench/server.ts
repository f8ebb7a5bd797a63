import { Agent, createServer, get, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { threadMilliseconds } from "./ingest/process-figures.ts"
import { percentile } from "./percentile.ts"

/**
 * Measures what tracing costs a Next server: CPU per request, requests per second and p95, where every trace is sampled and
 * where none is, beside `@sentry/nextjs` and OpenTelemetry's SDK alone. Run it with `npm run bench:server`. All servers render
 * the same page. They take many short turns, so that other load affects all of them alike; compare the ratios.
 */
const ROUNDS = Number(process.env["PAGESPAN_BENCH_ROUNDS"] ?? 80)
/** Rounds before the first measured one, in which the servers' code is compiled. */
const WARM_UP = Math.ceil(ROUNDS / 4)
const REQUESTS = 25
const SENDERS = 2
/** Longer than the SDKs' delays. */
const DELIVERY_MS = 2_000

const TRACERS = ["pagespan", "sentry", "opentelemetry"] as const
type Tracer = (typeof TRACERS)[number]

interface Contestant {
  readonly name: string
  readonly app: AppUnderTest
  /** Milliseconds of each measured request. */
  readonly times: number[]
  seconds: number
  cpuBefore: number
}

interface Figures {
  readonly cpuMs: number
  readonly perSecond: number
  readonly p95: number
}

/** Sentry and collector in one: accepts everything. */
const sink: Server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
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
  for (let round = 0; round < WARM_UP; round++) for (const { app } of contestants) await load(app)
  await delivered()
  for (const contestant of contestants) contestant.cpuBefore = threadMilliseconds(contestant.app.pid)
  for (let round = 0; round < ROUNDS; round++) for (const contestant of contestants) await turn(contestant)
  await delivered()
  report(new Map(contestants.map((contestant) => [contestant.name, figures(contestant)])))
} finally {
  for (const { app } of contestants) await app.stop()
  sink.closeAllConnections()
  sink.close()
}

async function add(name: string, variant: "bare" | Tracer, rate: number): Promise<void> {
  const environment = {
    SENTRY_DSN: `http://key@127.0.0.1:${port}/1`,
    // Pagespan sends to Sentry and to the collector in one server; each of the others does one of the two.
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "500",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: String(rate),
  }
  const app = await startApp("bench-server", { environment, variant: { name: variant } })
  contestants.push({ name, app, times: [], seconds: 0, cpuBefore: 0 })
}

function delivered(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, DELIVERY_MS))
}

async function turn(contestant: Contestant): Promise<void> {
  const start = performance.now()
  contestant.times.push(...(await load(contestant.app)))
  contestant.seconds += (performance.now() - start) / 1_000
}

/** Resolves with the milliseconds of each request. */
async function load({ origin }: AppUnderTest): Promise<number[]> {
  // Between two turns of a server its side closes idle connections.
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
  const times: number[] = []
  let next = 0
  const send = async () => {
    while (next < REQUESTS) {
      const start = performance.now()
      await requested(agent, `${origin}/items/${next++}`)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  agent.destroy()
  return times
}

function requested(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.resume().on("end", resolve).on("error", reject)
    }).on("error", reject)
  })
}

/** The CPU includes the deliveries, which happen during the turns of the others. */
function figures({ app, times, seconds, cpuBefore }: Contestant): Figures {
  return {
    cpuMs: (threadMilliseconds(app.pid) - cpuBefore) / times.length,
    perSecond: times.length / seconds,
    p95: percentile(times, 0.95),
  }
}

function report(results: ReadonlyMap<string, Figures>): void {
  const cpuOf = (name: string) => results.get(name)?.cpuMs ?? Number.NaN
  const added = (name: string) => cpuOf(name) - cpuOf("bare")
  console.log(`Node ${process.version}, ${ROUNDS} rounds of ${REQUESTS} requests from ${SENDERS} senders\n`)
  console.log("server                    CPU/request   over bare   requests/s        p95")
  for (const [name, { cpuMs, perSecond, p95 }] of results) {
    const columns = [
      `${cpuMs.toFixed(2)} ms`.padStart(11),
      `${added(name).toFixed(2)} ms`.padStart(12),
      perSecond.toFixed(0).padStart(13),
      `${p95.toFixed(1)} ms`.padStart(11),
    ]
    console.log(`${name.padEnd(25)}${columns.join("")}`)
  }
  console.log("\nCPU that tracing adds: unsampled as a share of sampled, and sampled relative to Pagespan's")
  for (const tracer of TRACERS) {
    const sampled = added(`${tracer}, sampled`)
    const share = (added(`${tracer}, unsampled`) / sampled) * 100
    const relative = (sampled / added("pagespan, sampled")).toFixed(2)
    console.log(`${tracer.padEnd(15)} ${share.toFixed(0).padStart(4)} %   ${relative}`)
  }
}
