import { createWriteStream } from "node:fs"
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import { createGunzip } from "node:zlib"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { DEBUG_ID, MAP_BYTES } from "./map-files.ts"

/** Bytes of all uploaded maps. Beyond them the oldest are deleted. */
const TOTAL_BYTES = 1024 * 1024 * 1024
/** The folder of uploads that have not arrived completely. No debug id is called so. */
const INCOMPLETE = "incomplete"
/** Uploads that arrive at the same time. Others wait, so that what is not stored yet has a bound too. */
const ARRIVING_AT_ONCE = 8
const SEGMENTS = 32
/** A name that is a file of the same name on every system. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\:*?"<>|\p{Cc}]{1,200}$/u

export type Upload = "stored" | "invalid" | "too_large"

/**
 * The source maps that `pagespan sourcemaps` has uploaded, as files of the data directory: a folder for each debug id, and in
 * it the path of the script.
 */
export class UploadedMaps {
  readonly #arriving = new Set<Promise<unknown>>()
  /** Maps are moved to their place one after the other, so that their total is known. */
  #lastMove: Promise<unknown> = Promise.resolve()
  #serial = 0

  constructor(
    readonly directory: string,
    private readonly totalBytes: number = TOTAL_BYTES,
  ) {}

  /**
   * Stores a map. It is written while it arrives, so that it takes no memory.
   *
   * @param path of the script on its server.
   */
  save(debugId: string, path: string, body: ReadableStream<Uint8Array>, isGzipped: boolean): Promise<Upload> {
    const segments = path.split("/").filter((segment) => segment !== "")
    const isPath = segments.length > 0 && segments.length <= SEGMENTS && segments.every((each) => SEGMENT.test(each))
    if (!DEBUG_ID.test(debugId) || !isPath) return Promise.resolve("invalid")
    return this.#save(debugId, segments, body, isGzipped)
  }

  async #save(
    debugId: string,
    segments: readonly string[],
    body: ReadableStream<Uint8Array>,
    isGzipped: boolean,
  ): Promise<Upload> {
    while (this.#arriving.size >= ARRIVING_AT_ONCE) await Promise.race(this.#arriving)
    const temporary = join(this.directory, INCOMPLETE, `${process.pid}-${this.#serial++}`)
    try {
      const received = receive(body, isGzipped, temporary)
      const arriving = received.catch(() => undefined).finally(() => this.#arriving.delete(arriving))
      this.#arriving.add(arriving)
      const upload = await received
      if (upload !== "stored") return upload
      const moved = this.#lastMove.then(() => this.#move(temporary, debugId, segments))
      this.#lastMove = moved.catch(() => undefined)
      await moved
      return "stored"
    } finally {
      await rm(temporary, { force: true })
    }
  }

  async #move(temporary: string, debugId: string, segments: readonly string[]): Promise<void> {
    const file = `${join(this.directory, debugId, ...segments)}.map`
    await rm(join(this.directory, debugId), { recursive: true, force: true })
    await mkdir(dirname(file), { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    await rename(temporary, file)
    await this.#deleteOldest(debugId)
  }

  /** Deletes the oldest maps down to the limit, but never the latest. */
  async #deleteOldest(latest: string): Promise<void> {
    const names = (await readdir(this.directory)).filter((name) => DEBUG_ID.test(name))
    const maps = await Promise.all(
      names.map(async (name) => ({ name, ...(await sizeBelow(join(this.directory, name))) })),
    )
    let total = maps.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { name, bytes } of maps.toSorted((a, b) => a.changedMs - b.changedMs)) {
      if (total <= this.totalBytes) return
      if (name === latest) continue
      await rm(join(this.directory, name), { recursive: true, force: true })
      total -= bytes
    }
  }
}

/** Writes a body to a file, inflated, and stops past the size of a map that is read. */
async function receive(body: ReadableStream<Uint8Array>, isGzipped: boolean, file: string): Promise<Upload> {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length
      done(bytes > MAP_BYTES ? new RangeError("too large") : null, chunk)
    },
  })
  await mkdir(dirname(file), { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  const target = createWriteStream(file, { mode: PRIVATE_FILE_MODE })
  const source = Readable.fromWeb(body)
  try {
    await (isGzipped ? pipeline(source, createGunzip(), limited, target) : pipeline(source, limited, target))
    return bytes === 0 ? "invalid" : "stored"
  } catch (error) {
    if (error instanceof RangeError) return "too_large"
    // What zlib cannot read, and a connection that broke.
    if (isInput(error)) return "invalid"
    throw error
  }
}

function isInput(error: unknown): boolean {
  const code = String((error as NodeJS.ErrnoException).code ?? "")
  return code.startsWith("Z_") || code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ABORT_ERR"
}

async function sizeBelow(directory: string): Promise<{ bytes: number; changedMs: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const facts = await Promise.all(files.map((file) => stat(file)))
  return {
    bytes: facts.reduce((sum, { size }) => sum + size, 0),
    changedMs: Math.max(0, ...facts.map(({ mtimeMs }) => mtimeMs)),
  }
}
