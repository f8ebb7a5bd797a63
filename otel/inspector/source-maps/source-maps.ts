import { realpathSync, statSync } from "node:fs"
import type { Worker } from "node:worker_threads"
import type { StackFrame } from "../../protocol/records/error.ts"
import { ConfigError } from "../config.ts"
import { startThread } from "../start-thread.ts"
import type { MappedFrame } from "./frame-mapper.ts"

/** Memory of the thread. A map takes some five times its size on disk. */
const MEMORY_MB = 512
/** A page waits at most this long for its frames. */
const TIMEOUT_MS = 5_000
/** The thread ends, and frees its cache, after this long without a request. */
const IDLE_MS = 60_000

export interface MapRequest {
  readonly id: number
  readonly frames: readonly StackFrame[]
}

export interface MapResponse {
  readonly id: number
  readonly frames: readonly MappedFrame[]
}

interface SourceMapSettings {
  /** Module of the thread. Default: the source below the working directory. */
  readonly workerFile?: string | undefined
  /** Default: 512. */
  readonly memoryMb?: number
  /** Default: 5,000 ms. */
  readonly timeoutMs?: number
}

/** Maps minified frames to their sources by the source maps below one directory, in a thread of its own. */
export class SourceMaps {
  readonly #root: string
  readonly #settings: SourceMapSettings
  /** By request id. Resolves to `undefined` when the thread does not answer. */
  readonly #pending = new Map<number, (frames: readonly MappedFrame[] | undefined) => void>()
  #worker: Worker | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #lastId = 0

  /** @throws {ConfigError} when the root is not a readable directory. */
  constructor(root: string, settings: SourceMapSettings = {}) {
    this.#settings = settings
    try {
      this.#root = realpathSync(root)
      if (!statSync(this.#root).isDirectory()) throw new Error("not a directory")
    } catch {
      throw new ConfigError(`PAGESPAN_SOURCE_ROOT is ${JSON.stringify(root)}: must be a directory that can be read`)
    }
  }

  /** The frames in the same order. Never rejects: a frame that cannot be mapped in time is returned unchanged. */
  async map(frames: readonly StackFrame[]): Promise<readonly MappedFrame[]> {
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    let timeout: NodeJS.Timeout | undefined
    const mapped = new Promise<readonly MappedFrame[] | undefined>((resolve) => {
      this.#pending.set(id, resolve)
      timeout = setTimeout(() => resolve(undefined), this.#settings.timeoutMs ?? TIMEOUT_MS)
    })
    worker.postMessage({ id, frames } satisfies MapRequest)
    this.#restartIdleTimer()
    try {
      return (await mapped) ?? frames
    } finally {
      clearTimeout(timeout)
      this.#pending.delete(id)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = startThread({
      file: this.#settings.workerFile,
      source: "otel/inspector/source-maps/worker.ts",
      memoryMb: this.#settings.memoryMb ?? MEMORY_MB,
      data: { root: this.#root },
    })
    worker.unref()
    worker.on("message", ({ id, frames }: MapResponse) => this.#pending.get(id)?.(frames))
    // A thread that is out of memory, or that could not start, emits an error and exits.
    worker.on("error", () => this.#onExit(worker))
    worker.on("exit", () => this.#onExit(worker))
    return worker
  }

  /** Ends all pending requests unmapped. The next request starts another thread. */
  #onExit(worker: Worker): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    for (const resolve of this.#pending.values()) resolve(undefined)
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => void this.#worker?.terminate(), IDLE_MS)
    this.#idleTimer.unref()
  }
}
