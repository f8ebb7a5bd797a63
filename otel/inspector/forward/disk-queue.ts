import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { type DropCategory, type DropReason, isDropCategory } from "../../protocol/records/drop.ts"

/**
 * Deliveries that wait for one destination: one file each, oldest first, limited in bytes and age. A full queue drops the
 * oldest. The file name holds the metadata and a checksum, so that after a crash each file is either a whole delivery or
 * counted as dropped. A delivery that was being sent is sent again.
 */
export interface Waiting {
  readonly file: string
  readonly bytes: number
  readonly count: number
  readonly category: DropCategory
  /** Kind of the body, for the destination's protocol. */
  readonly kind: string
  /** When it expires, by the clock of `elapsed`. */
  readonly expiresAt: number
}

export interface DiskQueueOptions {
  readonly directory: string
  readonly maxBytes: number
  readonly maxAgeMs: number
  /** Milliseconds since the epoch: for file names, which outlive the process. */
  readonly now: () => number
  /** Milliseconds, by a clock that nobody sets: a clock that is set forward must not expire what waits. */
  readonly elapsed: () => number
  recordDrop(reason: DropReason, category: DropCategory, count: number): void
}

export type Delivery = Pick<Waiting, "count" | "category" | "kind"> & { readonly body: Uint8Array }

/** Bytes that wait in memory to be written: a slow disk must not fill the memory. */
const UNWRITTEN_LIMIT_BYTES = 32 * 1024 * 1024

const FILE = /^(\d{12})-(\d{1,15})-(\d{1,9})-([a-z_]{1,20})-([a-z]{1,20})-([0-9a-f]{8})(\.unfinished)?$/
const UNFINISHED = ".unfinished"

export class DiskQueue {
  readonly #options: DiskQueueOptions
  #waiting: Waiting[] = []
  #bytes = 0
  /** Deliveries that are not queued yet, each with whether the disk has its file, whole or not. */
  readonly #pending = new Map<Delivery, boolean>()
  #unwritten = 0
  /** Being sent. Dropping it could count a delivered one as dropped. */
  #inFlight: Waiting | undefined
  #next = 1
  #isClosed = false
  #work: Promise<void>

  constructor(options: DiskQueueOptions) {
    this.#options = options
    this.#work = this.#open()
  }

  /** Resolves when the delivery is on disk, or counted as dropped. */
  add(delivery: Delivery): Promise<void> {
    const expiresAt = this.#expiry(0)
    const { length } = delivery.body
    if (this.#unwritten + length > UNWRITTEN_LIMIT_BYTES) {
      this.#options.recordDrop("queue_overflow", delivery.category, delivery.count)
      return this.#work
    }
    this.#unwritten += length
    this.#pending.set(delivery, false)
    this.#work = this.#work
      .then(() => this.#add(delivery, expiresAt))
      .finally(() => {
        this.#unwritten -= length
        this.#pending.delete(delivery)
      })
    return this.#work
  }

  /** The oldest delivery that has not expired, after all pending writes. It is not dropped until `release`. */
  async take(): Promise<Waiting | undefined> {
    await this.#work
    const now = this.#options.elapsed()
    for (const waiting of this.#waiting) {
      if (waiting.expiresAt > now) {
        this.#inFlight = waiting
        return waiting
      }
      await this.#drop(waiting, "expired")
    }
    return undefined
  }

  /** Ends the protection of the delivery that `take` returned. */
  release(): void {
    this.#inFlight = undefined
  }

  /** The body, or the drop reason when the file is missing or damaged. */
  async read({ file }: Waiting): Promise<Uint8Array | DropReason> {
    const body = await readFile(join(this.#options.directory, file)).catch(() => undefined)
    if (body === undefined) return "store_unavailable"
    return isWhole(file, body) ? body : "malformed"
  }

  async remove(waiting: Waiting): Promise<void> {
    if (!this.#waiting.includes(waiting)) return
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
    this.#bytes -= waiting.bytes
    // A file that cannot be deleted is sent again after a restart.
    await rm(join(this.#options.directory, waiting.file), { force: true }).catch(() => undefined)
  }

  /**
   * Waits until the added deliveries are on disk, at most until the limit resolves. What the disk has no file of by then is
   * counted as dropped. A file that is not whole is left to the next start, which counts it.
   */
  async close(limit: Promise<unknown>): Promise<void> {
    await Promise.race([this.#allWritten(), limit])
    this.#isClosed = true
    for (const [delivery, isFile] of this.#pending) if (!isFile) this.#refuse(delivery, "store_unavailable")
  }

  async #allWritten(): Promise<void> {
    while (this.#pending.size > 0) await this.#work
  }

  async #open(): Promise<void> {
    const { directory } = this.#options
    try {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
      for (const file of (await readdir(directory)).toSorted()) await this.#find(file)
    } catch {
      // The directory cannot be used now: until it can, added deliveries are counted as dropped.
    }
  }

  /** Queues a file of an earlier process. A damaged file is deleted and counted by the metadata in its name. */
  async #find(file: string): Promise<void> {
    const path = join(this.#options.directory, file)
    const [, sequence, at, digits, name = "", kind = "", , unfinished] = FILE.exec(file) ?? []
    const category = isDropCategory(name) ? name : "default"
    const count = Number(digits ?? 1)
    try {
      if (sequence === undefined || !isDropCategory(name)) throw new Error("not a delivery")
      const finished = file.replace(UNFINISHED, "")
      // The process crashed between write and rename: the file may be whole.
      if (unfinished !== undefined) {
        if (!isWhole(file, await readFile(path))) throw new Error("cut short")
        await rename(path, join(this.#options.directory, finished))
      }
      const { size: bytes } = await stat(join(this.#options.directory, finished))
      const expiresAt = this.#expiry(this.#options.now() - Number(at))
      this.#waiting.push({ file: finished, bytes, expiresAt, count, category, kind })
      this.#bytes += bytes
      this.#next = Math.max(this.#next, Number(sequence) + 1)
    } catch {
      await rm(path, { force: true, recursive: true }).catch(() => undefined)
      this.#options.recordDrop("malformed", category, count)
    }
  }

  /** @param ageMs of the delivery; negative where the clock was set back since it was queued. */
  #expiry(ageMs: number): number {
    return this.#options.elapsed() + this.#options.maxAgeMs - Math.max(0, ageMs)
  }

  async #add(delivery: Delivery, expiresAt: number): Promise<void> {
    const { body, count, category, kind } = delivery
    const { maxBytes } = this.#options
    if (body.length > maxBytes) return this.#refuse(delivery, "too_large")
    for (const oldest of this.#waiting) {
      if (this.#bytes + body.length <= maxBytes) break
      if (oldest !== this.#inFlight) await this.#drop(oldest, "queue_overflow")
    }
    if (this.#bytes + body.length > maxBytes) return this.#refuse(delivery, "queue_overflow")
    const at = this.#options.now()
    const file = [String(this.#next).padStart(12, "0"), at, count, category, kind, checksum(body)].join("-")
    this.#next += 1
    try {
      if (!(await this.#write(delivery, file))) return
      this.#waiting.push({ file, bytes: body.length, expiresAt, count, category, kind })
      this.#bytes += body.length
    } catch {
      // After a close the next start finds the file, or counts it: no drop is recorded any more.
      if (this.#isClosed && this.#pending.get(delivery) === true) return
      this.#refuse(delivery, "store_unavailable")
      // If the disk keeps the file, the next start deletes it, and counts the delivery a second time.
      await rm(this.#unfinished(file), { force: true }).catch(() => undefined)
    }
  }

  /** `false` when the delivery was counted as dropped meanwhile: then nothing of it is left. */
  async #write(delivery: Delivery, file: string): Promise<boolean> {
    const { directory } = this.#options
    if (!this.#pending.has(delivery)) return false
    await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    const unfinished = this.#unfinished(file)
    const handle = await open(unfinished, "w", PRIVATE_FILE_MODE)
    const isWanted = this.#pending.has(delivery)
    try {
      if (isWanted) {
        this.#pending.set(delivery, true)
        await handle.writeFile(delivery.body)
      }
    } finally {
      await handle.close()
    }
    await (isWanted ? rename(unfinished, join(directory, file)) : rm(unfinished, { force: true }))
    return isWanted
  }

  /** The path of a file until all of it is written. */
  #unfinished(file: string): string {
    return join(this.#options.directory, `${file}${UNFINISHED}`)
  }

  /** Counts a pending delivery as dropped, once. */
  #refuse(delivery: Delivery, reason: DropReason): void {
    if (this.#pending.delete(delivery)) this.#options.recordDrop(reason, delivery.category, delivery.count)
  }

  async #drop(waiting: Waiting, reason: DropReason): Promise<void> {
    if (!this.#waiting.includes(waiting)) return
    await this.remove(waiting)
    this.#options.recordDrop(reason, waiting.category, waiting.count)
  }
}

function checksum(body: Uint8Array): string {
  return crc32(body).toString(16).padStart(8, "0")
}

function isWhole(file: string, body: Uint8Array): boolean {
  return FILE.exec(file)?.[6] === checksum(body)
}
