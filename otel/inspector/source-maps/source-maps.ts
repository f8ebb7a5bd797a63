import { realpathSync, statSync } from "node:fs"
import type { Worker } from "node:worker_threads"
import type { StackFrame } from "../../protocol/records/error.ts"
import { ConfigError } from "../config.ts"
import { startThread } from "../start-thread.ts"
import type { DebugIds, MappedFrame } from "./frame-mapper.ts"

/** Memory of the thread. A map takes some five times its size on disk. */
const MEMORY_MB = 512
/** A page waits at most this long for its frames. */
const TIMEOUT_MS = 5_000
/** The thread ends, and frees its cache, after this long without a request. */
const IDLE_MS = 60_000

export interface MapRequest {
  readonly id: number
  readonly frames: readonly StackFrame[]
  readonly debugIds: DebugIds
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

/** Where source maps are. */
export interface MapDirectories {
  /** Of uploaded maps. */
  readonly uploaded: string
  /** `PAGESPAN_SOURCE_ROOT`. */
  readonly sourceRoot?: string | undefined
}

/** Maps minified frames to their sources by the source maps below directories, in a thread of its own. */
export class SourceMaps {
  readonly #directories: readonly string[]
  readonly #settings: SourceMapSettings
  /** By request id. Resolves to `undefined` when the thread does not answer. */
  readonly #pending = new Map<number, (frames: readonly MappedFrame[] | undefined) => void>()
  #worker: Worker | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #lastId = 0

  /** @throws {ConfigError} when the source root is not a readable directory. */
  constructor({ uploaded, sourceRoot }: MapDirectories, settings: SourceMapSettings = {}) {
    this.#settings = settings
    this.#directories = [uploaded, ...(sourceRoot === undefined ? [] : [realDirectory(sourceRoot)])]
  }

  /** The frames in the same order. Never rejects: a frame that cannot be mapped in time is returned unchanged. */
  async map(frames: readonly StackFrame[], debugIds: DebugIds = {}): Promise<readonly MappedFrame[]> {
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    let timeout: NodeJS.Timeout | undefined
    const mapped = new Promise<readonly MappedFrame[] | undefined>((resolve) => {
      this.#pending.set(id, resolve)
      timeout = setTimeout(() => resolve(undefined), this.#settings.timeoutMs ?? TIMEOUT_MS)
    })
    worker.postMessage({ id, frames, debugIds } satisfies MapRequest)
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
      data: { directories: this.#directories },
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

function realDirectory(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // It does not exist, or may not be read.
  }
  throw new ConfigError(`PAGESPAN_SOURCE_ROOT is ${JSON.stringify(path)}: must be a directory that can be read`)
}
