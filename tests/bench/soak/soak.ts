import { execFile } from "node:child_process"
import { loadavg } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import type { RunningApp } from "#tests/support/running-app.ts"
import { Connection } from "../ingest/connection.ts"
import { type Load, traceOfRequest } from "../ingest/loads.ts"
import { cpuSeconds, openHandles, processTree, residentMiB } from "../ingest/process-figures.ts"
import type { SoakWindow } from "./report.ts"

/** More than ever wait at half of the highest rate; a request that finds none free waits, and its wait counts. */
const CONNECTIONS = 32
const TICK_MS = 5
/** Counted in place of a status. */
const BROKEN_CONNECTION = 0
const READ_INTERVAL_MS = 1_000
/** A trace is looked up this many requests after it was sent, which the size of the store has room for. */
const READ_DISTANCE = 5_000
/** Traces that are looked up at the end, of the last requests. */
const LOOKED_UP_AT_THE_END = 200

/** Sends at a fixed rate, whatever the answers take, and reads meanwhile. */
export class Soak {
  readonly #free: Connection[]
  readonly #app: RunningApp
  readonly #newLoad: () => Load
  readonly #rate: number
  readonly #first: number
  #load: Load
  #next: number
  #isStopped = false
  #lookedUp = 0
  #missing = 0
  #work: readonly Promise<void>[] = []
  #window = new OpenWindow()

  private constructor(app: RunningApp, connections: Connection[], newLoad: () => Load, rate: number, first: number) {
    this.#app = app
    this.#free = connections
    this.#newLoad = newLoad
    this.#load = newLoad()
    this.#rate = rate
    this.#first = first
    this.#next = first
  }

  /** @param rate requests per second. @param first the number of the first request. */
  static async start(app: RunningApp, newLoad: () => Load, rate: number, first: number): Promise<Soak> {
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(app.url)))
    const soak = new Soak(app, connections, newLoad, rate, first)
    soak.#work = [soak.#send(), soak.#read()]
    return soak
  }

  /** The figures of the next seconds. */
  async window(seconds: number): Promise<SoakWindow> {
    this.#load = this.#newLoad()
    const open = (this.#window = new OpenWindow())
    const cpuBefore = cpuSeconds(this.#app.pid)
    await Promise.race([delay(seconds * 1_000), Promise.all(this.#work)])
    const processes = processTree(this.#app.pid)
    return {
      posts: open.posts,
      reads: open.reads,
      refused: open.refused,
      queueDepth: open.queueDepth,
      cpuSeconds: cpuSeconds(this.#app.pid) - cpuBefore,
      seconds,
      memoryMiB: processes.map(residentMiB),
      handles: processes.reduce((sum, pid) => sum + openHandles(pid), 0),
      diskMiB: await diskMiB(this.#app.dataDirectory),
      expired: await this.#expired(),
      load: loadavg()[0] ?? 0,
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#work)
    for (const connection of this.#free) connection.close()
  }

  /** How many of the traces that were looked up, meanwhile and now, are not in the store with all of their spans. */
  async missing(): Promise<{ readonly lookedUp: number; readonly missing: number }> {
    const span = Math.min(this.#next - this.#first, READ_DISTANCE)
    for (let index = 0; index < LOOKED_UP_AT_THE_END; index += 1)
      await this.#lookUp(this.#next - 1 - Math.floor((span * index) / LOOKED_UP_AT_THE_END))
    return { lookedUp: this.#lookedUp, missing: this.#missing }
  }

  async #lookUp(request: number): Promise<void> {
    const answer = await fetch(`${this.#app.url}/api/traces/${traceOfRequest(request)}`)
    const body = await answer.text()
    this.#lookedUp += 1
    if (!answer.ok || spanCount(JSON.parse(body) as OtlpTrace) !== this.#load.spans) this.#missing += 1
  }

  /** Records that the store deleted for its size. */
  async #expired(): Promise<number> {
    const answer = await fetch(`${this.#app.url}/api/dropped?reason=expired`)
    const { dropped } = (await answer.json()) as { dropped: { reason: string; count: number }[] }
    return dropped.reduce((sum, { reason, count }) => sum + (reason === "expired" ? Number(count) : 0), 0)
  }

  async #send(): Promise<void> {
    const start = performance.now()
    while (!this.#isStopped) {
      const due = this.#first + Math.floor(((performance.now() - start) / 1_000) * this.#rate)
      while (this.#next < due) {
        // The one that was free for longest: none is idle for so long that the server closes it.
        const connection = this.#free.shift()
        if (connection === undefined) break
        const number = this.#next++
        void this.#post(connection, number, start + ((number - this.#first) / this.#rate) * 1_000)
      }
      await delay(TICK_MS)
    }
    while (this.#free.length < CONNECTIONS) await delay(TICK_MS)
  }

  /** The time counts from when the request was due, so that a server which stands still is not timed once only. */
  async #post(connection: Connection, number: number, dueAt: number): Promise<void> {
    const window = this.#window
    const usable = connection.isClosed ? await Connection.open(this.#app.url) : connection
    const status = await usable.post(this.#load.request(number)).then(
      (answer) => answer.status,
      () => BROKEN_CONNECTION,
    )
    window.posts.push(performance.now() - dueAt)
    if (status !== 200) window.refused.set(status, (window.refused.get(status) ?? 0) + 1)
    this.#free.push(usable)
  }

  /** A page of the list, a trace by its id, and the health. */
  async #read(): Promise<void> {
    const { url } = this.#app
    const timed = async (window: OpenWindow, work: () => Promise<unknown>) => {
      const start = performance.now()
      await work()
      window.reads.push(performance.now() - start)
    }
    while (!this.#isStopped) {
      const window = this.#window
      await timed(window, async () => (await fetch(`${url}/api/traces?limit=50&since=15m`)).arrayBuffer())
      const request = this.#next - READ_DISTANCE
      if (request >= this.#first) await timed(window, () => this.#lookUp(request))
      const { queue } = (await (await fetch(`${url}/health`)).json()) as { queue: { depth: number } }
      window.queueDepth = Math.max(window.queueDepth, queue.depth)
      await delay(READ_INTERVAL_MS)
    }
  }
}

interface OtlpTrace {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: unknown[] }[] }[]
}

function spanCount({ resourceSpans }: OtlpTrace): number {
  const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
  return scopes.reduce((sum, { spans }) => sum + spans.length, 0)
}

class OpenWindow {
  readonly posts: number[] = []
  readonly reads: number[] = []
  readonly refused = new Map<number, number>()
  queueDepth = 0
}

/** Does not wait in this thread, which sends meanwhile. Files that the store deletes make `du` fail, after it has counted the others. */
function diskMiB(directory: string): Promise<number> {
  return new Promise((resolve) =>
    execFile("du", ["-sk", directory], (_, output) => resolve(Math.round(Number(output.split("\t")[0]) / 1_024))),
  )
}
