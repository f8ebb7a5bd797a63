import { connect } from "node:net"
import { parseArgs } from "node:util"
import { buildPackage } from "#otel/cli/package/build.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { liveLatencies } from "./ingest/live-latency.ts"
import { type Load, otlpLoad, sentryLoad } from "./ingest/loads.ts"
import { cpuSeconds, watchMemory } from "./ingest/process-figures.ts"
import { describeLoad, type LoadFigures, percentiles, statuses, table } from "./ingest/report.ts"
import { sendLoad } from "./ingest/send.ts"
import { type Peer, startSpotlight } from "./ingest/spotlight-peer.ts"
import { measureSustained, SENDERS, type Sustained, untilDrained } from "./ingest/sustained.ts"
import { percentile } from "./percentile.ts"

/**
 * Measures how fast a running inspector ingests spans over HTTP: `npm run bench:ingest`.
 *
 * The headline is the sustained rate: requests are sent for a minute, and the time counts until the last span is stored.
 * Beside it stands what a burst of some seconds gets acknowledged, which the journal then holds. Sentry's sidecar ingests
 * the same envelopes in turns. The senders run in this process, on the same machine, and wait for each response.
 *
 * - `--only sustained,spotlight,start,live,overload` runs these parts alone.
 * - `--seconds 60`, `--rounds 3`: the length of a sustained run, and the turns beside Spotlight.
 */
const PARTS = ["start", "sustained", "spotlight", "live", "overload"] as const
const { values } = parseArgs({
  options: {
    only: { type: "string", default: PARTS.join() },
    seconds: { type: "string", default: "60" },
    rounds: { type: "string", default: "3" },
  },
})
const parts = new Set(values.only.split(","))
const SECONDS = Number(values.seconds)
const BURST_SECONDS = 5
/** Compiles the code of the inspector before it is measured. */
const WARM_UP_SECONDS = 2
const PORT = 4599
/** The number of the next request, so that no two runs share ids. */
const RUN = 10_000_000
const SMALL = { spans: 20, spansPerTrace: 20 }
const NO_SELF = { PAGESPAN_SELF: "off" }

await buildPackage(process.cwd())
console.log(`Node ${process.version}, ${SENDERS} senders`)
if (parts.has("start")) await measureStart()
if (parts.has("sustained")) await measureLoads()
if (parts.has("spotlight")) await compareWithSpotlight()
if (parts.has("live")) await measureLatency()
if (parts.has("overload")) await measureOverload()

/** Time from the start of the process to the first response, and to ready screens and store. */
async function measureStart(): Promise<void> {
  const start = performance.now()
  const starting = await RunningApp.launch({ ...NO_SELF, PORT: String(PORT) })
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

/** Each load on an inspector of its own, so that no run inherits the memory, the parts or the backlog of another. */
async function measureLoads(): Promise<void> {
  const loads = [
    otlpLoad({ ...SMALL, encoding: "protobuf" }),
    otlpLoad({ ...SMALL, encoding: "json" }),
    sentryLoad(),
    otlpLoad(),
  ]
  const figures: LoadFigures[] = []
  for (const load of loads) {
    await withApp(async (app) => {
      const burst = await sendLoad(app.url, load, { senders: SENDERS, seconds: BURST_SECONDS, first: 2 * RUN })
      await untilDrained(app)
      const sustained = await measureSustained(app, load, SECONDS, 3 * RUN)
      figures.push({ load, sustained, burst })
    }, load)
    const last = figures.at(-1)
    if (last !== undefined) console.log(describeLoad(last))
  }
  console.log(`\nSustained: ${SECONDS} s of requests, and the time until all of it is stored.\n\n${table(figures)}`)
}

/** In turns, so that other load affects both alike. The result is the median of the ratios of the turns. */
async function compareWithSpotlight(): Promise<void> {
  const peer = await startSpotlight()
  const load = sentryLoad()
  const ratios: number[] = []
  try {
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const own = await withApp((app) => measureOwnTurn(app, load), load)
      if (peer === undefined) continue
      const theirs = await measureTheirTurn(peer)
      console.log(
        `turn ${round + 1}: Pagespan ${own.requestsPerSecond.toFixed(0)} requests/s stored, Spotlight ${theirs.toFixed(0)} answered`,
      )
      ratios.push(own.requestsPerSecond / theirs)
    }
  } finally {
    await peer?.stop()
  }
  if (ratios.length > 0)
    console.log(
      `\nPagespan stores ${percentile(ratios, 0.5).toFixed(2)} times the envelopes that Spotlight answers, in single turns ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`,
    )
}

async function measureOwnTurn(app: RunningApp, load: Load): Promise<Sustained> {
  const before = await countTraces(app)
  const sustained = await measureSustained(app, load, SECONDS, 3 * RUN)
  const { sent, cpu, memoryMiB } = sustained
  const stored = (await countTraces(app)) - before
  const milliseconds = ((cpu.handlers + cpu.threads + cpu.store) / sent.accepted) * 1_000
  console.log(
    `\n${sent.accepted} envelopes accepted, ${sent.refused.length} refused, ${stored} traces in the store; CPU ${milliseconds.toFixed(2)} ms each, memory ${memoryMiB[0]} MiB before, at most ${Math.max(...memoryMiB)}`,
  )
  if (stored !== sent.accepted) process.exitCode = 1
  return sustained
}

async function measureTheirTurn({ url, pid }: Peer): Promise<number> {
  const before = cpuSeconds(pid)
  const load = sentryLoad("/stream")
  const [sent, memoryMiB] = await watchMemory(pid, () => sendLoad(url, load, { senders: SENDERS, seconds: SECONDS }))
  const milliseconds = ((cpuSeconds(pid) - before) / sent.accepted) * 1_000
  console.log(
    `Spotlight: ${sent.accepted} answered, CPU ${milliseconds.toFixed(2)} ms each, memory at most ${Math.max(...memoryMiB)} MiB`,
  )
  return sent.accepted / sent.seconds
}

async function measureLatency(): Promise<void> {
  await withApp(async ({ url }) => {
    const latencies = await liveLatencies(url, BURST_SECONDS * 20, 2 * RUN)
    console.log(`\nPOST to /live at 20/s: ${percentiles(latencies.map((ms) => ({ ms })))}`)
  })
}

/** Overload with a small journal: the refused requests, the time to refuse them, and memory. */
async function measureOverload(): Promise<void> {
  const small = await RunningApp.start({ ...NO_SELF, PAGESPAN_JOURNAL: "16MB" })
  try {
    const load = otlpLoad()
    const pace = { senders: SENDERS * 10, seconds: BURST_SECONDS * 4 }
    const [sent, series] = await watchMemory(small.pid, () => sendLoad(small.url, load, pace))
    const withRetryAfter = sent.refused.filter(({ retryAfter }) => retryAfter).length
    console.log(
      `\noverload: ${pace.senders} senders of ${load.spans} spans, a journal of 16 MB, ${sent.seconds.toFixed(0)} s`,
    )
    console.log(
      `  accepted ${sent.accepted}, refused ${sent.refused.length} (${statuses(sent.refused)}), ${withRetryAfter} of them with Retry-After`,
    )
    console.log(`  refusals ${percentiles(sent.refused)}`)
    console.log(`  memory of all processes, each second: ${series.join(" ")} MiB`)
  } finally {
    await small.stop()
  }
}

/** Runs the work on an inspector of its own, after a warm-up with the load. */
async function withApp<Result>(work: (app: RunningApp) => Promise<Result>, warmUp?: Load): Promise<Result> {
  const app = await RunningApp.start(NO_SELF)
  try {
    if (warmUp !== undefined) {
      await sendLoad(app.url, warmUp, { senders: SENDERS, seconds: WARM_UP_SECONDS, first: RUN })
      await untilDrained(app)
    }
    return await work(app)
  } finally {
    await app.stop()
  }
}

async function countTraces({ url }: RunningApp): Promise<number> {
  let count = 0
  let after = ""
  do {
    const answer = await fetch(`${url}/api/traces?limit=1000${after}`)
    const page = (await answer.json()) as { traces: unknown[]; next: string | null }
    count += page.traces.length
    after = page.next === null ? "" : `&after=${page.next}`
  } while (after !== "")
  return count
}
