import { mkdir, rm } from "node:fs/promises"
import { setImmediate } from "node:timers/promises"
import { encodeBatch, type EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { PRIVATE_DIRECTORY_MODE } from "../../../protocol/private-files.ts"
import { countRecords, type RecordBatch } from "../../../protocol/records/batch.ts"
import { encodeFrame, FRAME_HEADER_BYTES, JournalReader, type Place, Segment, type SegmentFile } from "./segment.ts"
import { lockDirectory, replay, type Replay, unlockDirectory } from "./directory.ts"

/**
 * A bounded append-only journal, from which the handlers acknowledge: what `append` has accepted survives the death of the
 * process. (The death of the machine only with `sync`: without it the operating system has the bytes, but the disk may
 * not.)
 *
 * Writes are grouped: whatever waits while one write runs goes out in the next, and nothing waits for a timer. Files are
 * deleted when all in them is stored. When the directory cannot be written, appends are refused, and each later one
 * tries again, so that it recovers by itself.
 */
export interface JournalOptions {
  readonly directory: string
  /** Bytes on disk past which appends are refused. Default 512 MiB. */
  readonly maxBytes?: number | undefined
  /** Whether an append waits for the disk itself. Default false. */
  readonly sync?: boolean | undefined
  /** Told once, when the directory has been read, and before the first append is answered. */
  readonly onReplay: (replay: Replay) => void
}

const MAX_BYTES = 512 * 1024 * 1024
/** A file is left for a new one past this size. Smaller in a small journal, of which whole files must be able to go. */
const SEGMENT_BYTES = 16 * 1024 * 1024
/** How soon a directory that could not be used is tried again. */
const REOPEN_MS = 1_000

export type Append =
  | { readonly ok: true; readonly sequence: number; readonly place: Place; readonly encoded: EncodedBatch }
  | { readonly ok: false; readonly problem: "full" | "unavailable" }

interface Waiting {
  readonly frame: Buffer
  readonly sequence: number
  readonly settle: (append: Append) => void
}

const NO_PAYLOAD = new Uint8Array()

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
  #isUnavailable = false
  #isClosed = false
  #reopening: NodeJS.Timeout | undefined
  readonly #reader = new JournalReader()

  constructor(private readonly options: JournalOptions) {
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
    this.#segmentBytes = Math.min(SEGMENT_BYTES, this.#maxBytes / 4)
  }

  /** Whether the last attempt to write failed. */
  get isUnavailable(): boolean {
    return this.#isUnavailable
  }

  /** Share of its bytes that is taken, from 0 to 1. */
  get fullness(): number {
    return this.#bytes() / this.#maxBytes
  }

  /** Reads what an earlier process left; `false` when the directory cannot be used now. */
  open(): Promise<boolean> {
    this.#opening ??= this.#open().catch(() => {
      // Whatever the cause, it is tried again, by the next append or soon; meanwhile the health page says so.
      this.#isUnavailable = true
      this.#opening = undefined
      this.#openLater()
      return false
    })
    return this.#opening
  }

  async append(batch: RecordBatch): Promise<Append> {
    if (this.#isClosed || !(await this.open())) return { ok: false, problem: "unavailable" }
    const sequence = this.#nextSequence
    const frame = encodeFrame("batch", sequence, countRecords(batch), encodeBatch(batch))
    if (this.#bytes() + frame.length > this.#maxBytes) return { ok: false, problem: "full" }
    this.#nextSequence += 1
    this.#waitingBytes += frame.length
    const result = new Promise<Append>((settle) => this.#waiting.push({ frame, sequence, settle }))
    this.#startWriting()
    return result
  }

  /** Reads a batch back that `append` has accepted and that is not stored yet. */
  load(place: Place): Promise<EncodedBatch> {
    return this.#reader.load(place)
  }

  /** All batches up to this sequence are in the store. Their files go; where one holds more, it gets a mark. */
  async markStored(sequence: number): Promise<void> {
    if (this.#isClosed) return
    this.#storedThrough = Math.max(this.#storedThrough, sequence)
    const mark = encodeFrame("stored", this.#storedThrough, 0, NO_PAYLOAD)
    this.#waiting.push({ frame: mark, sequence: 0, settle: () => undefined })
    this.#waitingBytes += mark.length
    this.#startWriting()
    await this.#deleteStored()
  }

  /** Waits for running writes. Deletes the files when all is stored, else leaves them to the next start. */
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
    await lockDirectory(this.options.directory)
    const found = await replay(this.options.directory, this.#reader).catch(async (error: unknown) => {
      await unlockDirectory(this.options.directory)
      throw error
    })
    this.#segments = found.segments
    this.#nextSequence = found.nextSequence
    this.#isUnavailable = false
    this.options.onReplay(found)
    return true
  }

  /** For what an earlier process left, which must not wait for the next request. */
  #openLater(): void {
    if (this.#isClosed) return
    clearTimeout(this.#reopening)
    this.#reopening = setTimeout(() => void this.open(), REOPEN_MS)
    this.#reopening.unref()
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
      // Requests that arrived together are handled in one turn: a write takes along what all of them bring.
      await setImmediate()
      const group = this.#waiting
      const bytes = this.#waitingBytes
      this.#waiting = []
      const written = await this.#writeGroup(group)
      this.#waitingBytes -= bytes
      settleGroup(group, written)
    }
  }

  async #writeGroup(group: readonly Waiting[]): Promise<Pick<Place, "path" | "start"> | undefined> {
    try {
      const segment = await this.#segmentForWriting(group)
      const start = await segment.append(
        group.map(({ frame }) => frame),
        group.reduce((most, { sequence }) => Math.max(most, sequence), 0),
        this.options.sync ?? false,
      )
      this.#isUnavailable = false
      return { path: segment.path, start }
    } catch {
      // Disk full, permission lost, directory gone: the caller is told, and the next append starts on a new file.
      this.#isUnavailable = true
      await this.#abandonActive()
      return undefined
    }
  }

  async #segmentForWriting(group: readonly Waiting[]): Promise<Segment> {
    if (this.#active !== undefined && this.#active.bytes < this.#segmentBytes) return this.#active
    await this.#retireActive()
    await mkdir(this.options.directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    const firstSequence = group.find(({ sequence }) => sequence > 0)?.sequence ?? this.#nextSequence
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
    this.#segments.push(segment)
    // What cannot be cut back is a torn frame for the next start, which knows how to read around it.
    await segment.cutBack().catch(() => undefined)
    // A file that fails to close has nothing more to say than the write that failed before.
    await segment.close().catch(() => undefined)
  }

  async #deleteStored(): Promise<void> {
    const isStored = ({ lastSequence }: SegmentFile) => lastSequence <= this.#storedThrough
    const stored = this.#segments.filter(isStored)
    this.#segments = this.#segments.filter((segment) => !isStored(segment))
    // One that cannot be deleted now is read at the next start, found to be stored, and deleted then.
    for (const { path } of stored) await rm(path, { force: true }).catch(() => undefined)
  }
}

/** `written`: where the group's first frame starts; `undefined` when it could not be written. */
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
