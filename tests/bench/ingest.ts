import { connect } from "node:net"
import { buildPackage } from "#otel/cli/package/build.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import type { Answer } from "./ingest/connection.ts"
import { liveLatencies } from "./ingest/live-latency.ts"
import { type Load, otlpLoad, sentryLoad } from "./ingest/loads.ts"
import { cpuSeconds, watchMemory } from "./ingest/process-figures.ts"
import { sendLoad, type Sent } from "./ingest/send.ts"
import { startSpotlight } from "./ingest/spotlight-peer.ts"
import { measureSustained, SENDERS, untilDrained } from "./ingest/sustained.ts"
import { percentile } from "./percentile.ts"

/**
 * Measures how fast a running inspector ingests spans over HTTP, its CPU and memory, and the number of spans in the store
 * afterwards: `npm run bench:ingest`. Sentry's sidecar ingests the same envelopes in turns. The senders run in this process,
 * on the same machine, and wait for each response.
 */
const SECONDS = Number(process.env["PAGESPAN_BENCH_SECONDS"] ?? 5)
/** The number of requests in the memory run. 100,000 requests are two million spans. */
const ENVELOPES = Number(process.env["PAGESPAN_BENCH_ENVELOPES"] ?? 20_000)
const ROUNDS = 3
const PORT = 4599
/** The number of the next request, so that no two runs share ids. */
const RUN = 10_000_000

await buildPackage(process.cwd())
console.log(`Node ${process.version}, ${SENDERS} senders`)
await measureStart()
const app = await RunningApp.start({ PAGESPAN_SELF: "off" })
try {
  await measureLoad(otlpLoad(), 1)
  await compareWithSpotlight()
  await measureLatency(2)
  await measureMemory(3)
} finally {
  await app.stop()
}
await measureOverload()

/** Time from the start of the process to the first response, and to ready screens and store. */
async function measureStart(): Promise<void> {
  const start = performance.now()
  const starting = await RunningApp.launch({ PORT: String(PORT), PAGESPAN_SELF: "off" })
  try {
    while (!(await isOpen(PORT))) await new Promise((resolve) => setTimeout(resolve, 5))
    const [first] = (await sendLoad(`http://localhost:${PORT}`, sentryLoad(), { senders: 1, requests: 1 })).answers
    const handlers = performance.now() - start
    await starting.ready()
    const all = performance.now() - start
    console.log(
      `\nstart: first envelope answered ${first?.status} after ${handlers.toFixed(0)} ms, screens and store after ${all.toFixed(0)} ms`,
    )
  } finally {
    await starting.stop()
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "localhost")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
}

async function measureLoad(load: Load, run: number): Promise<void> {
  const before = cpuSeconds(app.pid)
  const { sent, drainSeconds, requestsPerSecond } = await measureSustained(app, load, SECONDS, run * RUN)
  console.log(`\n${load.name}`)
  console.log(describe(sent, load, cpuSeconds(app.pid) - before))
  console.log(`  in the store ${drainSeconds.toFixed(1)} s after the last answer`)
  console.log(`  with that time counted, spans/s ${(requestsPerSecond * load.spans).toFixed(0)}`)
}

/** In turns, so that other load affects both alike. The result is the median of the ratios of the turns. */
async function compareWithSpotlight(): Promise<void> {
  const peer = await startSpotlight()
  const load = sentryLoad()
  const ratios: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const own = await sendTurn(app.url, app.pid, `Pagespan, ${load.name}`, load, (10 + round) * RUN)
      await untilDrained(app)
      if (peer === undefined) continue
      const theirs = await sendTurn(peer.url, peer.pid, "Spotlight, the same", sentryLoad("/stream"), 0)
      ratios.push(own / theirs)
    }
  } finally {
    await peer?.stop()
  }
  if (ratios.length > 0)
    console.log(`\nPagespan takes ${percentile(ratios, 0.5).toFixed(1)} times the requests of Spotlight`)
}

async function sendTurn(url: string, pid: number, name: string, load: Load, first: number): Promise<number> {
  const before = cpuSeconds(pid)
  const sent = await sendLoad(url, load, { senders: SENDERS, seconds: SECONDS, first })
  if (pid === app.pid) await untilDrained(app)
  console.log(`\n${name}\n${describe(sent, load, cpuSeconds(pid) - before)}`)
  return sent.accepted / sent.seconds
}

async function measureLatency(run: number): Promise<void> {
  const latencies = await liveLatencies(app.url, SECONDS * 20, run * RUN)
  console.log(`\nPOST to /live at 20/s: ${percentiles(latencies)}`)
}

async function measureMemory(run: number): Promise<void> {
  const load = sentryLoad()
  const storedBefore = await countStored(app)
  const pace = { senders: SENDERS, requests: ENVELOPES, first: run * RUN }
  const [sent, series] = await watchMemory(app.pid, async () => {
    const all = await sendLoad(app.url, load, pace)
    await untilDrained(app)
    return all
  })
  const stored = (await countStored(app)) - storedBefore
  console.log(
    `\n${ENVELOPES} envelopes: accepted ${sent.accepted}, refused ${sent.refused.length}, traces in the store ${stored}`,
  )
  console.log(`  ${memory(series)}`)
  if (stored !== sent.accepted) process.exitCode = 1
}

/** Overload with a small journal: the refused requests, the time to refuse them, and memory. */
async function measureOverload(): Promise<void> {
  const small = await RunningApp.start({ PAGESPAN_SELF: "off", PAGESPAN_JOURNAL: "16MB" })
  try {
    const load = otlpLoad()
    const pace = { senders: SENDERS * 10, seconds: SECONDS * 4 }
    const [sent, series] = await watchMemory(small.pid, () => sendLoad(small.url, load, pace))
    const withRetryAfter = sent.refused.filter(({ retryAfter }) => retryAfter).length
    console.log(
      `\noverload: ${pace.senders} senders of ${load.spans} spans, a journal of 16 MB, ${sent.seconds.toFixed(0)} s`,
    )
    console.log(
      `  accepted ${sent.accepted}, refused ${sent.refused.length} (${statuses(sent.refused)}), ${withRetryAfter} of them with Retry-After`,
    )
    console.log(`  refusals ${percentiles(sent.refused.map(({ ms }) => ms))}`)
    console.log(`  ${memory(series)}`)
  } finally {
    await small.stop()
  }
}

async function countStored({ url }: RunningApp): Promise<number> {
  let count = 0
  let after = ""
  do {
    const answer = await fetch(`${url}/api/traces?limit=1000${after}`)
    const page = (await answer.json()) as { traces: { spanCount: number; sources: string[] }[]; next: string | null }
    for (const { sources } of page.traces) if (sources.includes("sentry")) count += 1
    after = page.next === null ? "" : `&after=${page.next}`
  } while (after !== "")
  return count
}

function describe({ answers, accepted, refused, seconds }: Sent, { spans }: Load, cpu: number): string {
  return [
    `  requests/s ${(accepted / seconds).toFixed(0)}, spans/s ${((accepted * spans) / seconds).toFixed(0)}, refused ${refused.length}`,
    `  answer ${percentiles(answers.map(({ ms }) => ms))}`,
    `  CPU ${((cpu / accepted) * 1_000).toFixed(2)} ms a request, ${((cpu / accepted / spans) * 1e6).toFixed(1)} µs a span, store included`,
  ].join("\n")
}

function percentiles(values: readonly number[]): string {
  return [0.5, 0.95, 0.99].map((part) => `p${part * 100} ${percentile(values, part).toFixed(1)} ms`).join(", ")
}

function memory(series: readonly number[]): string {
  return `resident memory of the app, each second: ${series.join(" ")} MiB; at most ${Math.max(...series)}`
}

function statuses(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ")
}
