import { type ChildProcess, fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join, resolve } from "node:path"
import { secret } from "../../protocol/secret.ts"
import type { BackendListener, ClickHouseBackend } from "./clickhouse-backend.ts"
import { type Dependencies, StartBackoff } from "./start-backoff.ts"
import type { ChildMessage, ParentMessage } from "./process/protocol.ts"

/**
 * Keeps the store process running: starts it, reports where it listens, kills it when it hangs, starts it again when it
 * ends, and stops it on demand. It reports each end with a reason. A permanent failure (no engine for this platform, a
 * directory that cannot be created) it reports once, and starts no further process.
 */

/** A stop waits for running statements, whose time limits are shorter. */
const STOP_MS = 10_000
/** The engine opens in 0.3 s, in 2.5 s after a kill under load; a process silent for this long hangs. */
const START_MS = 60_000
/** As long as a statement may take. A running process answers heartbeats meanwhile. */
const HANG_MS = 30_000
/** Characters of standard error that can explain an end. */
const STDERR_LIMIT = 4_096

export interface SupervisorOptions {
  readonly dataDirectory: string
  /** Milliseconds without a heartbeat after which the process is killed and started again. Default: 30,000. */
  readonly hangMs?: number | undefined
  /** Module of the process. Default: the source, below the working directory. No bundler resolves the path: in a bundle, modules have no files. */
  readonly processFile?: string | undefined
}

export class Supervisor implements ClickHouseBackend {
  readonly #directory: string
  readonly #processFile: string
  readonly #hangMs: number
  readonly #backoff: StartBackoff
  #listener: BackendListener | undefined
  #child: ChildProcess | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false
  #permanent = false

  constructor(options: SupervisorOptions, dependencies: Dependencies) {
    this.#directory = resolve(options.dataDirectory, "clickhouse")
    this.#processFile =
      options.processFile ?? join(/* turbopackIgnore: true */ process.cwd(), "otel/inspector/store/process/main.ts")
    this.#hangMs = options.hangMs ?? HANG_MS
    this.#backoff = new StartBackoff(dependencies)
  }

  /** Process id while the process runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(listener: BackendListener): void {
    this.#listener = listener
    this.#spawn()
  }

  async stop(limitMs = STOP_MS): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    const child = this.#child
    if (!child) return
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    if (child.connected) send(child, { type: "stop" })
    const kill = setTimeout(() => child.kill("SIGKILL"), limitMs)
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
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-STDERR_LIMIT)))
    const hangs = () => {
      reason = `The store process did not respond for ${this.#hangMs / 1_000} s.`
      child.kill("SIGKILL")
    }
    let heartbeat: Heartbeat | undefined
    child.on("message", (message: ChildMessage) => {
      clearTimeout(start)
      if (message.type === "pong") return heartbeat?.answered()
      if (message.type === "listening") {
        heartbeat = new Heartbeat(this.#hangMs, () => send(child, { type: "ping" }), hangs)
        return this.#up(message.port, token)
      }
      reason = message.reason
      this.#permanent = message.permanent
    })
    // Without a listener, a failed fork would throw in the app.
    child.on("error", (error) => (reason ??= `The store process could not be started: ${error.message}`))
    child.once("close", (code, signal) => {
      clearTimeout(start)
      heartbeat?.stop()
      this.#ended(reason ?? describeEnd(code, signal, stderr))
    })
    send(child, { type: "open", directory: this.#directory, token })
  }

  #up(port: number, token: string): void {
    this.#backoff.succeeded()
    this.#listener?.up({ url: secret(`http://127.0.0.1:${port}`), password: secret(token), embedded: true })
  }

  #ended(reason: string): void {
    this.#child = undefined
    if (this.#stopped) return
    if (this.#permanent) return this.#listener?.impossible(reason)
    this.#listener?.down(reason)
    this.#retry = setTimeout(() => this.#spawn(), this.#backoff.failed())
  }
}

/** The minimum for Node, tsx and the engine, which may be on `NODE_PATH`. The process gets no secrets and no `NODE_OPTIONS` of the app. */
function childEnvironment(): NodeJS.ProcessEnv {
  const names = ["PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "NODE_PATH"]
  const environment = Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  return {
    ...environment,
    NODE_ENV: process.env.NODE_ENV,
    TZ: "UTC",
    // A running statement blocks a thread of this pool. With the default of 4, file and compression work would wait.
    UV_THREADPOOL_SIZE: "16",
  }
}

function send(child: ChildProcess, message: ParentMessage): void {
  // If the process has ended, the `close` event reports it.
  child.send(message, () => {})
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null, stderr: string): string {
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
  const lines = stderr.trim().split("\n")
  // Node prints the error, its stack and its own version.
  const words = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ""
  return `The store process ${how}${words === "" ? "" : `: ${words}`}`
}

/** Pings within the limit. A process that is only slow answers one of them. */
const PINGS = 6

/**
 * Detects a process that hangs: pings it at intervals, and calls `hangs` once if no answer arrives within the limit. Time
 * in which this process itself does not run does not count, since it sends the next ping first.
 */
class Heartbeat {
  readonly #timer: NodeJS.Timeout
  #unanswered = 0

  constructor(limitMs: number, ping: () => void, hangs: () => void) {
    this.#timer = setInterval(() => {
      if (this.#unanswered === PINGS) {
        this.stop()
        return hangs()
      }
      this.#unanswered += 1
      ping()
    }, limitMs / PINGS)
    this.#timer.unref()
  }

  answered(): void {
    this.#unanswered = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
