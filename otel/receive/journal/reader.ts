import { open } from "node:fs/promises"
import type { RecordBatch } from "../../model/record-batch.ts"
import { decodeBatch } from "./batch-codec.ts"

/** Where the payload of a frame lies. */
export interface Place {
  readonly path: string
  readonly start: number
  readonly end: number
}

/** A piece of a file in memory. */
interface Window {
  readonly path: string
  readonly from: number
  readonly bytes: Buffer
}

/** Read at once, from the first byte that is asked for: some hundred batches, which are asked for in their order. */
const WINDOW_BYTES = 4 * 1024 * 1024

/** Reads batches back from the journal's files. */
export class JournalReader {
  #window: Window | undefined

  async load(place: Place): Promise<RecordBatch> {
    const held = this.#window
    const window = held !== undefined && holds(held, place) ? held : await readWindow(place)
    this.#window = window
    const { from, bytes } = window
    return decodeBatch(bytes.subarray(place.start - from, place.end - from))
  }
}

function holds({ path, from, bytes }: Window, place: Place): boolean {
  return path === place.path && place.start >= from && place.end <= from + bytes.length
}

async function readWindow({ path, start, end }: Place): Promise<Window> {
  const handle = await open(path)
  try {
    const length = Math.max(end - start, WINDOW_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start)
    return { path, from: start, bytes: buffer.subarray(0, bytesRead) }
  } finally {
    await handle.close()
  }
}
