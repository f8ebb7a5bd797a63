import { realpathSync, statSync } from "node:fs"
import type { Worker } from "node:worker_threads"
import type { StackFrame } from "../../protocol/records/error.ts"
import { ConfigError } from "../config.ts"
import { startThread } from "../start-thread.ts"
import type { MappedFrame } from "./frame-mapper.ts"

/** Memory of the thread. A map takes some five times its size on disk. */
const MEMORY_MB = 512
/** A page waits no longer for where its frames come from. */
const PATIENCE_MS = 5_000
/** Nobody looks at errors: the thread ends, and with it what it keeps. */
const IDLE_MS = 60_000

export interface Question {
  readonly id: number
  readonly frames: readonly StackFrame[]
}

export interface Answer {
  readonly id: number
  readonly frames: readonly MappedFrame[]
}

interface SourceMapSettings {
  /** Module of the thread. Default: the one in the sources below the working directory. */
  readonly workerFile?: string | undefined
  readonly memoryMb?: number
  readonly patienceMs?: number
}

type Waiting = (frames: readonly MappedFrame[] | undefined) => void

/** Says where minified frames come from, by the source maps beneath one directory, which a thread of its own reads. */
export class SourceMaps {
  readonly #root: string
  readonly #settings: SourceMapSettings
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  /** @throws {ConfigError} where the root is no directory that can be read. */
  constructor(root: string, settings: SourceMapSettings = {}) {
    this.#settings = settings
    try {
      this.#root = realpathSync(root)
      if (!statSync(this.#root).isDirectory()) throw new Error("not a directory")
    } catch {
      throw new ConfigError(`PAGESPAN_SOURCE_ROOT is ${JSON.stringify(root)}: must be a directory that can be read`)
    }
  }

  /** The same frames in the same order. Never rejects: what cannot be mapped, or not in time, stays as it came. */
  async map(frames: readonly StackFrame[]): Promise<readonly MappedFrame[]> {
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    let patience: NodeJS.Timeout | undefined
    const mapped = new Promise<readonly MappedFrame[] | undefined>((resolve) => {
      this.#waiting.set(id, resolve)
      patience = setTimeout(() => resolve(undefined), this.#settings.patienceMs ?? PATIENCE_MS)
    })
    worker.postMessage({ id, frames } satisfies Question)
    this.#endLater()
    try {
      return (await mapped) ?? frames
    } finally {
      clearTimeout(patience)
      this.#waiting.delete(id)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
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
    worker.on("message", ({ id, frames }: Answer) => this.#waiting.get(id)?.(frames))
    // Out of memory, or not to be started: it ends, and so does the wait of all who asked it.
    worker.on("error", () => this.#ended(worker))
    worker.on("exit", () => this.#ended(worker))
    return worker
  }

  /** What it was asked stays as it came; the next question starts another. */
  #ended(worker: Worker): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    for (const resolve of this.#waiting.values()) resolve(undefined)
  }

  #endLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#worker?.terminate(), IDLE_MS)
    this.#idle.unref()
  }
}
