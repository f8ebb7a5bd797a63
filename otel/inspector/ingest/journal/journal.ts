import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { encodeBatch, type EncodedBatch, requestParts } from "../../../protocol/codec/encode-batch.ts"
import { PlainRequest } from "../../../protocol/otlp/plain-request.ts"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"
import { countRecords, type RecordBatch } from "../../../protocol/records/batch.ts"
import { lockDirectory, unlockDirectory } from "../../directory-lock.ts"
import { journalProblem, replay, type Replay } from "./directory.ts"
import { encodeFrame, FRAME_HEADER_BYTES, JournalReader, type Place, Segment, type SegmentFile } from "./segment.ts"

/**
 * A bounded append-only journal. Handlers acknowledge after `append`: what it accepted survives a crash of the process,
 * and with `sync` a crash of the machine. Without `sync` the operating system has the bytes, but the disk may not.
 *
 * Writes are grouped: one write takes everything that was appended while the previous one ran. No append waits for a
 * timer. A file is deleted when all its batches are stored. While the directory cannot be written, appends are refused;
 * each later append tries again, and a probe each second, so the journal recovers by itself.
 */
export interface JournalOptions {
  readonly directory: string
  /** Size on disk past which appends are refused, in bytes. Default 512 MiB. */
  readonly maxBytes?: number | undefined
  /** Whether an append waits for the disk itself. Default false. */
  readonly sync?: boolean | undefined
  /** Called once, after the directory was read and before the first append resolves. */
  readonly onReplay: (replay: Replay) => void
}

const MAX_BYTES = 512 * 1024 * 1024
/** Size past which a new file is started. A small journal has smaller files, so that it can delete whole ones. */
const SEGMENT_BYTES = 16 * 1024 * 1024
/** Bytes in memory, while the disk does not answer, past which appends are refused. */
const WAITING_BYTES = 64 * 1024 * 1024
/** Time between attempts to open a directory, and to write into one. */
const REOPEN_MS = 1_000
/** A probe writes as much as the write that failed, at most this much. */
const PROBE_BYTES = 1024 * 1024

export type Append =
  | { readonly ok: true; readonly sequence: number; readonly place: Place; readonly encoded: EncodedBatch }
  /** `too_large`: the batch has no room even in an empty journal, so that no later attempt can succeed. */
  | { readonly ok: false; readonly problem: "full" | "unavailable" | "too_large" }

interface Waiting {
  readonly frame: Buffer
  readonly sequence: number
  readonly settle: (append: Append) => void
}

export class Journal {
  readonly #maxBytes: number
  readonly #segmentBytes: number
  #segments: SegmentFile[] = []
  #active: Segment | undefined
  #nextSequence = 1
  #storedThrough = 0
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #writing: Promise<void> | undefined
  #opening: Promise<boolean> | undefined
  #problem: string | undefined
  #isClosed = false
  #reopening: NodeJS.Timeout | undefined
  readonly #reader = new JournalReader()

  constructor(private readonly options: JournalOptions) {
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
    this.#segmentBytes = Math.min(SEGMENT_BYTES, this.#maxBytes / 4)
  }

  /** Why the last attempt to write failed, and what to do, in one line for people; `undefined` when it did not. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Used share of `maxBytes`, from 0 to 1. */
  get fullness(): number {
    return this.#bytes() / this.#maxBytes
  }

  /** Replays what an earlier process did not store. `false` when the directory cannot be used now. */
  open(): Promise<boolean> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The next append, or a timer, tries again. Until then the health report shows it.
      this.#problem = journalProblem(this.options.directory, error)
      this.#opening = undefined
      this.#openLater()
      return false
    })
    return this.#opening
  }

  /** Appends records, or as many spans of a request that needs no decoding. */
  async append(batch: RecordBatch | PlainRequest): Promise<Append> {
    if (this.#isClosed || !(await this.open())) return { ok: false, problem: "unavailable" }
    const sequence = this.#nextSequence
    const frame =
      batch instanceof PlainRequest
        ? encodeFrame("batch", sequence, batch.spanCount, ...requestParts(batch.body))
        : encodeFrame("batch", sequence, countRecords(batch), encodeBatch(batch))
    // The current file may be as large as a segment with batches that are all stored.
    if (frame.length > this.#maxBytes - this.#segmentBytes) return { ok: false, problem: "too_large" }
    if (this.#bytes() + frame.length > this.#maxBytes || this.#waitingBytes > WAITING_BYTES)
      return { ok: false, problem: "full" }
    this.#nextSequence += 1
    this.#waitingBytes += frame.length
    const result = new Promise<Append>((settle) => this.#waiting.push({ frame, sequence, settle }))
    this.#startWriting()
    return result
  }

  /** Loads a batch that `append` accepted and that is not stored yet. */
  load(place: Place): Promise<EncodedBatch> {
    return this.#reader.load(place)
  }

  /** Records that all batches up to this sequence are stored, and deletes files that hold no others. */
  async markStored(sequence: number): Promise<void> {
    if (this.#isClosed) return
    this.#storedThrough = Math.max(this.#storedThrough, sequence)
    const mark = encodeFrame("stored", this.#storedThrough, 0)
    this.#waiting.push({ frame: mark, sequence: 0, settle: () => undefined })
    this.#waitingBytes += mark.length
    this.#startWriting()
    await this.#deleteStored()
  }

  /** Waits for running writes. Files with batches that are not stored stay for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#reopening)
    if (this.#opening === undefined || !(await this.#opening)) return
    await this.#writing
    if (this.#active !== undefined) {
      await this.#active.close()
      this.#segments.push(this.#active)
      this.#active = undefined
    }
    await this.#deleteStored()
    await unlockDirectory(this.options.directory)
  }

  async #open(): Promise<boolean> {
    await mkdir(this.options.directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    // Two processes would replay and delete each other's segments.
    await lockDirectory(this.options.directory)
    const found = await replay(this.options.directory, this.#reader).catch(async (error: unknown) => {
      await unlockDirectory(this.options.directory)
      throw error
    })
    this.#segments = found.segments
    this.#nextSequence = found.nextSequence
    this.#problem = undefined
    this.options.onReplay(found)
    return true
  }

  /** An earlier backlog must not wait for the next request. */
  #openLater(): void {
    if (this.#isClosed) return
    clearTimeout(this.#reopening)
    this.#reopening = setTimeout(() => void this.open(), REOPEN_MS)
    this.#reopening.unref()
  }

  /** Tests whether the directory can be written again. Nothing else would while a load balancer sends no requests. */
  #probeLater(bytes: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#reopening)
    this.#reopening = setTimeout(() => void this.#probe(bytes), REOPEN_MS)
    this.#reopening.unref()
  }

  async #probe(bytes: number): Promise<void> {
    const { directory } = this.options
    const path = join(directory, "probe")
    try {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
      await writeFile(path, Buffer.alloc(bytes), { mode: PRIVATE_FILE_MODE })
      this.#problem = undefined
    } catch (error) {
      this.#problem = journalProblem(directory, error)
      this.#probeLater(bytes)
    }
    await rm(path, { force: true }).catch(() => undefined)
  }

  #bytes(): number {
    const closed = this.#segments.reduce((sum, { bytes }) => sum + bytes, 0)
    return closed + (this.#active?.bytes ?? 0) + this.#waitingBytes
  }

  #startWriting(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (this.#waiting.length > 0) this.#startWriting()
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that arrive together are handled in one turn of the event loop: one write takes them all.
      await setImmediate()
      const group = this.#waiting
      const bytes = this.#waitingBytes
      this.#waiting = []
      // A file is named after its first batch: that of the group, or the next one. Another may arrive while the file is created.
      const firstSequence = group.find(({ sequence }) => sequence > 0)?.sequence ?? this.#nextSequence
      const written = await this.#writeGroup(group, firstSequence)
      this.#waitingBytes -= bytes
      settleGroup(group, written)
    }
  }

  async #writeGroup(
    group: readonly Waiting[],
    firstSequence: number,
  ): Promise<Pick<Place, "path" | "start"> | undefined> {
    try {
      const segment = await this.#segmentForWriting(firstSequence)
      const start = await segment.append(
        group.map(({ frame }) => frame),
        group.reduce((most, { sequence }) => Math.max(most, sequence), 0),
        this.options.sync ?? false,
      )
      this.#problem = undefined
      return { path: segment.path, start }
    } catch (error) {
      // Disk full, no permission, or directory deleted. The append is refused, and the next one starts a new file.
      this.#problem = journalProblem(this.options.directory, error)
      this.#probeLater(Math.min(PROBE_BYTES, bytesOf(group)))
      await this.#abandonActive()
      return undefined
    }
  }

  async #segmentForWriting(firstSequence: number): Promise<Segment> {
    if (this.#active !== undefined && this.#active.bytes < this.#segmentBytes) return this.#active
    await this.#retireActive()
    await mkdir(this.options.directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    this.#active = await Segment.create(this.options.directory, firstSequence)
    return this.#active
  }

  async #retireActive(): Promise<void> {
    const segment = this.#active
    if (segment === undefined) return
    this.#active = undefined
    this.#segments.push(segment)
    await segment.close()
    await this.#deleteStored()
  }

  async #abandonActive(): Promise<void> {
    const segment = this.#active
    if (segment === undefined) return
    this.#active = undefined
    // The next file begins with the same sequence, so it would have the same name. Without these marks records are stored again.
    if (!segment.hasBatches) return segment.discard().catch(() => undefined)
    this.#segments.push(segment)
    // If this fails too, the next start finds a torn frame and skips it.
    await segment.truncate().catch(() => undefined)
    // The failed write has been reported.
    await segment.close().catch(() => undefined)
  }

  async #deleteStored(): Promise<void> {
    const isStored = ({ lastSequence }: SegmentFile) => lastSequence <= this.#storedThrough
    const stored = this.#segments.filter(isStored)
    this.#segments = this.#segments.filter((segment) => !isStored(segment))
    // A file that cannot be deleted now is deleted at the next start.
    for (const { path } of stored) await rm(path, { force: true }).catch(() => undefined)
  }
}

function bytesOf(group: readonly Waiting[]): number {
  return group.reduce((sum, { frame }) => sum + frame.length, 0)
}

/** `written`: position of the group's first frame; `undefined` when the write failed. */
function settleGroup(group: readonly Waiting[], written: Pick<Place, "path" | "start"> | undefined): void {
  let at = written?.start ?? 0
  for (const { settle, sequence, frame } of group) {
    const place = { path: written?.path ?? "", start: at + FRAME_HEADER_BYTES, end: at + frame.length }
    at += frame.length
    settle(
      written === undefined
        ? { ok: false, problem: "unavailable" }
        : { ok: true, sequence, place, encoded: frame.subarray(FRAME_HEADER_BYTES) },
    )
  }
}
