import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { isDropCategory, type DropCategory, type DropReason } from "../../protocol/records/drop.ts"

/**
 * What waits for one destination, a file for each delivery, oldest first. Bounded in bytes and in age; on full the oldest
 * goes. A file's name says what is in it and ends with its checksum, so that a killed process leaves deliveries or what
 * can be counted as lost; what was being sent then is sent again.
 */
export interface Waiting {
  readonly file: string
  readonly bytes: number
  readonly count: number
  readonly category: DropCategory
  /** What the body is, as the destination has named it. */
  readonly kind: string
  /** When it was offered, in milliseconds since the epoch. */
  readonly at: number
}

export interface DiskQueueOptions {
  readonly directory: string
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly now: () => number
  lost(reason: DropReason, category: DropCategory, count: number): void
}

export type Delivery = Pick<Waiting, "count" | "category" | "kind"> & { readonly body: Uint8Array }

/** Bytes in memory on their way to the disk. A disk that is slower than what arrives must not fill the memory. */
const UNWRITTEN_LIMIT_BYTES = 32 * 1024 * 1024

const FILE = /^(\d{12})-(\d{1,15})-(\d{1,9})-([a-z_]{1,20})-([a-z]{1,20})-([0-9a-f]{8})(\.unfinished)?$/
const UNFINISHED = ".unfinished"

export class DiskQueue {
  readonly #options: DiskQueueOptions
  #waiting: Waiting[] = []
  #bytes = 0
  #unwritten = 0
  /** On its way to the destination: were it given up now, it could be delivered and lost at once. */
  #taken: Waiting | undefined
  #next = 1
  #work: Promise<void>

  constructor(options: DiskQueueOptions) {
    this.#options = options
    this.#work = this.#open()
  }

  /** Resolves when the delivery is on disk, or counted as lost. */
  add(delivery: Delivery): Promise<void> {
    const at = this.#options.now()
    const { length } = delivery.body
    if (this.#unwritten + length > UNWRITTEN_LIMIT_BYTES) {
      this.#options.lost("queue_overflow", delivery.category, delivery.count)
      return this.#work
    }
    this.#unwritten += length
    this.#work = this.#work
      .then(() => this.#add(delivery, at))
      .finally(() => {
        this.#unwritten -= length
      })
    return this.#work
  }

  /** The oldest that is not too old, once all that was added before is there. It cannot be given up until `release`. */
  async take(): Promise<Waiting | undefined> {
    await this.#work
    const tooOld = this.#options.now() - this.#options.maxAgeMs
    for (const waiting of this.#waiting) {
      if (waiting.at > tooOld) {
        this.#taken = waiting
        return waiting
      }
      await this.#lose(waiting, "expired")
    }
    return undefined
  }

  /** What was taken is no longer on its way: on full it may go like any other. */
  release(): void {
    this.#taken = undefined
  }

  /** The body, or why it cannot be had: it has gone meanwhile, or is not what was written. */
  async read({ file }: Waiting): Promise<Uint8Array | DropReason> {
    const body = await readFile(join(this.#options.directory, file)).catch(() => undefined)
    if (body === undefined) return "store_unavailable"
    return isWhole(file, body) ? body : "malformed"
  }

  async remove(waiting: Waiting): Promise<void> {
    if (!this.#waiting.includes(waiting)) return
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
    this.#bytes -= waiting.bytes
    // A file that cannot be deleted is sent again after a restart: twice is better than never.
    await rm(join(this.#options.directory, waiting.file), { force: true }).catch(() => undefined)
  }

  async #open(): Promise<void> {
    const { directory } = this.#options
    try {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
      for (const file of (await readdir(directory)).toSorted()) await this.#find(file)
    } catch {
      // The directory cannot be used now: whatever is added is counted as lost until it can.
    }
  }

  /** Takes a file that an earlier process left. One that is no delivery is deleted, and counted by what its name tells. */
  async #find(file: string): Promise<void> {
    const path = join(this.#options.directory, file)
    const [, sequence, at, digits, told = "", kind = "", , unfinished] = FILE.exec(file) ?? []
    const category = isDropCategory(told) ? told : "default"
    const count = Number(digits ?? 1)
    try {
      if (sequence === undefined || !isDropCategory(told)) throw new Error("none of ours")
      const finished = file.replace(UNFINISHED, "")
      // Killed between writing a file and naming it: it may be whole.
      if (unfinished !== undefined) {
        if (!isWhole(file, await readFile(path))) throw new Error("cut short")
        await rename(path, join(this.#options.directory, finished))
      }
      const { size: bytes } = await stat(join(this.#options.directory, finished))
      this.#waiting.push({ file: finished, bytes, at: Number(at), count, category, kind })
      this.#bytes += bytes
      this.#next = Math.max(this.#next, Number(sequence) + 1)
    } catch {
      await rm(path, { force: true, recursive: true }).catch(() => undefined)
      this.#options.lost("malformed", category, count)
    }
  }

  async #add({ body, count, category, kind }: Delivery, at: number): Promise<void> {
    const { directory, maxBytes, lost } = this.#options
    if (body.length > maxBytes) return lost("too_large", category, count)
    for (const oldest of this.#waiting) {
      if (this.#bytes + body.length <= maxBytes) break
      if (oldest !== this.#taken) await this.#lose(oldest, "queue_overflow")
    }
    if (this.#bytes + body.length > maxBytes) return lost("queue_overflow", category, count)
    const file = [String(this.#next).padStart(12, "0"), at, count, category, kind, checksum(body)].join("-")
    this.#next += 1
    try {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
      const unfinished = join(directory, `${file}${UNFINISHED}`)
      await writeFile(unfinished, body, { mode: PRIVATE_FILE_MODE })
      await rename(unfinished, join(directory, file))
      this.#waiting.push({ file, bytes: body.length, at, count, category, kind })
      this.#bytes += body.length
    } catch {
      lost("store_unavailable", category, count)
    }
  }

  async #lose(waiting: Waiting, reason: DropReason): Promise<void> {
    if (!this.#waiting.includes(waiting)) return
    await this.remove(waiting)
    this.#options.lost(reason, waiting.category, waiting.count)
  }
}

function checksum(body: Uint8Array): string {
  return crc32(body).toString(16).padStart(8, "0")
}

function isWhole(file: string, body: Uint8Array): boolean {
  return FILE.exec(file)?.[6] === checksum(body)
}
