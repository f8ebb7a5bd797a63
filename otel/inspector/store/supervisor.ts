import { type ChildProcess, fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join, resolve } from "node:path"
import { secret } from "../../protocol/secret.ts"
import { Backoff, type Dependencies } from "./backoff.ts"
import type { Host, HostListener } from "./clickhouse-backend.ts"
import { Heartbeat } from "./heartbeat.ts"
import type { ChildMessage, ParentMessage } from "./process/protocol.ts"

/**
 * Keeps the store process running: starts it, says where it listens, starts it again when it ends, stops it on demand.
 * One that hangs is ended. An end is reported in words. A failure that trying again cannot mend (no engine for this platform, a directory that
 * cannot be made) is reported once and ends the supervision.
 */

/** A stop finishes what runs; statements are limited to less than this. */
const STOP_MS = 10_000
/** The engine opens in 0.3 s, in 2.5 s after a kill under load; a process that says nothing for this long hangs. */
const START_MS = 60_000

/** As long as a statement may take: a process that runs does other things meanwhile. */
const HANG_MS = 30_000

export interface SupervisorOptions {
  readonly dataDirectory: string
  /** A process that answers nothing for this long is ended and started again. Default 30 s. */
  readonly hangMs?: number | undefined
  /** The process's module. Not resolved by a bundler: the app may run inside one, where modules have no files. */
  readonly processFile?: string | undefined
}

export class Supervisor implements Host {
  readonly #directory: string
  readonly #processFile: string
  readonly #hangMs: number
  readonly #backoff: Backoff
  #listener: HostListener | undefined
  #child: ChildProcess | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false
  #permanent = false

  constructor(options: SupervisorOptions, surroundings: Dependencies) {
    this.#directory = resolve(options.dataDirectory, "clickhouse")
    this.#processFile =
      options.processFile ?? join(/* turbopackIgnore: true */ process.cwd(), "otel/inspector/store/process/main.ts")
    this.#hangMs = options.hangMs ?? HANG_MS
    this.#backoff = new Backoff(surroundings)
  }

  /** Process id while the process runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(listener: HostListener): void {
    this.#listener = listener
    this.#spawn()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    const child = this.#child
    if (!child) return
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    if (child.connected) send(child, { type: "stop" })
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS)
    await ended
    clearTimeout(kill)
  }

  #spawn(): void {
    const token = randomBytes(32).toString("base64url")
    const child = fork(this.#processFile, [], {
      execArgv: this.#processFile.endsWith(".ts") ? ["--import", "tsx"] : [],
      env: childEnvironment(),
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    })
    this.#child = child
    const start = setTimeout(() => child.kill("SIGKILL"), START_MS)
    let reason: string | undefined
    let lastWords = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (lastWords = (lastWords + text).slice(-LAST_WORDS)))
    const hangs = () => {
      reason = `The store process did not answer for ${this.#hangMs / 1_000} s.`
      child.kill("SIGKILL")
    }
    let heartbeat: Heartbeat | undefined
    child.on("message", (message: ChildMessage) => {
      clearTimeout(start)
      if (message.type === "here") return heartbeat?.answered()
      if (message.type === "listening") {
        heartbeat = new Heartbeat(this.#hangMs, () => send(child, { type: "ask" }), hangs)
        return this.#up(message.port, token)
      }
      reason = message.reason
      this.#permanent = message.permanent
    })
    // Without a listener a failed fork throws in the app.
    child.on("error", (error) => (reason ??= `The store process could not be started: ${error.message}`))
    child.once("close", (code, signal) => {
      clearTimeout(start)
      heartbeat?.stop()
      this.#ended(reason ?? describeEnd(code, signal, lastWords))
    })
    send(child, { type: "open", directory: this.#directory, token })
  }

  #up(port: number, token: string): void {
    this.#backoff.up()
    this.#listener?.up({ url: secret(`http://127.0.0.1:${port}`), password: secret(token), embedded: true })
  }

  #ended(reason: string): void {
    this.#child = undefined
    if (this.#stopped) return
    if (this.#permanent) return this.#listener?.impossible(reason)
    this.#listener?.down(reason)
    this.#retry = setTimeout(() => this.#spawn(), this.#backoff.next())
  }
}

const LAST_WORDS = 4_096

/** The least that Node, tsx and the engine need; `NODE_PATH` is where an engine lies that is not beside us. Secrets of the app's environment do not travel, nor do its `NODE_OPTIONS`. */
function childEnvironment(): NodeJS.ProcessEnv {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "NODE_PATH"]
  const environment = Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  return {
    ...environment,
    NODE_ENV: process.env.NODE_ENV,
    TZ: "UTC",
    // A running statement holds a thread of this pool; four, the default, would stop file and compression work.
    UV_THREADPOOL_SIZE: "16",
  }
}

function send(child: ChildProcess, message: ParentMessage): void {
  // The process may be gone already; its end is what says so.
  child.send(message, () => {})
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null, lastWords: string): string {
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
  const lines = lastWords.trim().split("\n")
  // Node names the error, then its stack, then its own version.
  const words = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ""
  return `The store process ${how}${words === "" ? "" : `: ${words}`}`
}
